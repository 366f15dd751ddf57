import { parseRelation } from '../../note/body/relation.ts';
import { wikilinkEnd } from '../../note/markdown/wikilink.ts';
import { quoteEnd, readEntityName } from './entity-name.ts';
import { readRelationName } from './found-facts.ts';
import type { FoundFact } from './found-facts.ts';
import { readFields } from './relation-line.ts';

interface Arrow {
  readonly start: number;
  readonly end: number;
  /** The text between its brackets. */
  readonly type: string;
  readonly isBack: boolean;
}

/**
 * Parses `A -[REL]-> B: fact [valid_at:: …]`, `A <-[REL]- B`, and chains of arrows, which state one fact each; null for any other line. Ends
 * are plain or quoted names, or links. `dateBehind` returns the offset of the dates in the text of the last end, or -1.
 */
export function readArrowLine(line: string, dateBehind: (text: string) => number): readonly FoundFact[] | null {
  if (!line.includes('-[')) return null;
  const { arrows, colon } = scanArrows(line);
  if (arrows.length === 0) return null;
  const last = arrows.at(-1)?.end ?? 0;
  const stop = colon === -1 ? last + fieldsStart(line.slice(last)) : colon;
  const said = line.slice(colon === -1 ? stop : colon + 1).trim();
  // What follows has the grammar of a relation line, so it is parsed after a placeholder link.
  const tail = parseRelation(said === '' ? 'x [[x]]' : `x [[x]]${colon === -1 ? '' : ':'} ${said}`);
  const fields = readFields(tail?.fields ?? []);
  if (tail === null || fields === null) return null;
  const lastEnd = line.slice(last, stop);
  const dates = dateBehind(lastEnd);
  const times = dates < 0 ? undefined : lastEnd.slice(dates).trim();
  const ends = [
    ...arrows.map((arrow, index) => line.slice(arrows[index - 1]?.end ?? 0, arrow.start)),
    lastEnd.slice(0, dates < 0 ? undefined : dates),
  ];
  const names = ends.map(readEntityName);
  const facts: FoundFact[] = [];
  for (const [index, { type, isBack }] of arrows.entries()) {
    const { relation, isNegated } = readRelationName(type);
    const [subject, object] = isBack ? [names[index + 1], names[index]] : [names[index], names[index + 1]];
    if (subject == null || object == null || relation === '') return null;
    const statement = { subject, relation, object, isNegated: isNegated !== fields.isNegated };
    facts.push({ ...fields, ...statement, text: tail.text, ...(times === undefined ? {} : { times }) });
  }
  return facts;
}

/** Returns the offset of the inline fields or block id at the end of a line; its length if it has none. */
function fieldsStart(text: string): number {
  const start = text.search(/[ \t]\[[A-Za-z_][\w-]*::|[ \t]\^[A-Za-z0-9-]+$/);
  return start === -1 ? text.length : start;
}

/** Finds the arrows of a line outside of links, quotes and code, and the colon after the last one that begins the text, or -1. */
function scanArrows(line: string): { readonly arrows: readonly Arrow[]; readonly colon: number } {
  const arrows: Arrow[] = [];
  let isNameStart = true;
  for (let at = 0; at < line.length; at += 1) {
    const skipped = isNameStart ? Math.max(quoteEnd(line, at), codeEnd(line, at)) : -1;
    const link = line.startsWith('[[', at) ? wikilinkEnd(line, at, line.length) : -1;
    const arrow = readArrow(line, at);
    if (skipped !== -1 || link !== -1) at = Math.max(skipped, link) - 1;
    else if (arrow !== null) {
      arrows.push(arrow);
      at = arrow.end - 1;
      isNameStart = true;
      continue;
    } else if (arrows.length > 0 && isTextColon(line, at)) return { arrows, colon: at };
    if (line[at] !== ' ' && line[at] !== '\t') isNameStart = false;
  }
  return { arrows, colon: -1 };
}

function isTextColon(line: string, at: number): boolean {
  return line[at] === '：' || (line[at] === ':' && /^(?:[ \t]|$)/.test(line.charAt(at + 1)));
}

function codeEnd(line: string, at: number): number {
  const close = line[at] === '`' ? line.indexOf('`', at + 1) : -1;
  return close === -1 ? -1 : close + 1;
}

const arrowPattern = /(<)?-\[([^[\]]{1,256})\]-(>)?/y;

/** Parses the arrow at an offset, which must point in exactly one direction; else null. */
function readArrow(line: string, at: number): Arrow | null {
  if ((line[at] !== '-' && line[at] !== '<') || line[at - 1] === '<') return null;
  arrowPattern.lastIndex = at;
  const [whole, back, type = '', on] = arrowPattern.exec(line) ?? [];
  if (whole === undefined || (back === undefined) === (on === undefined)) return null;
  return { start: at, end: at + whole.length, type, isBack: back !== undefined };
}
