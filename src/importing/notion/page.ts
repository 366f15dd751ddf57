import type { PropertyValue } from '../../note/note.ts';
import { cleanLine, cleanText } from '../text/clean.ts';
import { tame } from '../text/tame.ts';
import { toProperty } from './database.ts';

/** A page of Notion's, in its parts. */
export interface Page {
  readonly title: string;
  readonly properties: Readonly<Record<string, PropertyValue>>;
  readonly body: string;
}

const HEADING = /^# +([^\n]+)$/;
const PROPERTY = /^([^:\n]{1,100}): (.*)$/;

/** Returns the title in the first line of a page; null if it has none. */
export function titleOf(text: string): string | null {
  const first = text.replace(/^\ufeff?\s{0,99}/, '').split('\n', 1)[0] ?? '';
  const title = cleanLine(HEADING.exec(first.trimEnd())?.[1] ?? '');
  return title === '' ? null : title;
}

/**
 * Divides a page: the title, the properties that stand below it, and the text. `columns`: those of the database that it is a row of; null
 * if that is unknown. Lines that may as well be text stay text.
 */
export function readPage(
  given: string,
  {
    title,
    columns,
    resolve,
  }: { readonly title: string; readonly columns: readonly string[] | null; readonly resolve: (path: string) => string | null },
): Page {
  const lines = cleanText(given.replace(/^\ufeff/, '')).split('\n');
  let at = 0;
  while (at < lines.length && lines[at]?.trim() === '') at += 1;
  if (titleOf(lines[at] ?? '') !== null) at += 1;
  while (at < lines.length && lines[at]?.trim() === '') at += 1;
  const properties: Record<string, PropertyValue> = {};
  const end = endOfProperties(lines, at, columns);
  for (const line of lines.slice(at, end)) {
    const [, name = '', value = ''] = PROPERTY.exec(line) ?? [];
    const property = toProperty(name, value, resolve);
    if (property !== null && !Object.hasOwn(properties, property[0])) properties[property[0]] = property[1];
  }
  const body = lines.slice(end).join('\n').trim();
  return { title, properties, body: body === '' ? '' : `${toCallouts(body)}\n` };
}

/** Returns the first line after the properties. A single line is one only if the database has a column of that name. */
function endOfProperties(lines: readonly string[], start: number, columns: readonly string[] | null): number {
  let end = start;
  const isOne = (line: string): boolean => {
    const name = PROPERTY.exec(line)?.[1];
    return name !== undefined && (columns === null ? /^[\p{Lu}\p{Lo}]/u.test(name) : columns.includes(name.trim()));
  };
  while (end < lines.length && isOne(lines[end] ?? '')) end += 1;
  const isBlock = (lines[end] ?? '').trim() === '';
  return isBlock && (columns !== null || end - start > 1) ? end : start;
}

/** Notion writes callouts as HTML, in which Markdown is no Markdown. */
function toCallouts(text: string): string {
  let isInside = false;
  return text
    .split('\n')
    .flatMap((line) => {
      if (!isInside && line.trim() === '<aside>') {
        isInside = true;
        return ['> [!note]'];
      }
      if (isInside && line.trim() === '</aside>') {
        isInside = false;
        return [];
      }
      return [isInside ? `> ${line}`.trimEnd() : line];
    })
    .join('\n');
}

/** Notion has no wikilinks, no comments and no fields: what looks like one is text. */
export function tamePage(text: string): string {
  return tame(text, (prose) => prose.replaceAll('[[', '\\[\\[').replaceAll('%%', '%\\%'));
}
