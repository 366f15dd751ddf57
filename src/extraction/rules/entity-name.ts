import { decodeText } from '../../note/body/entry-text.ts';
import { readWikilink, wikilinkEnd } from '../../note/markdown/wikilink.ts';
import type { Link } from '../../note/note.ts';
import { MEDIA_EXTENSIONS } from '../../note/media.ts';
import { extensionOf, isSlugOf } from '../../note/path.ts';
import { isBlankText, oneLine } from '../names.ts';

/** A longer text is prose and not the name of an entity. */
const MAX_NAME_CHARACTERS = 256;
/** Also includes the target of a link. */
const MAX_WRITTEN_CHARACTERS = 2100;

const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['「', '」'],
  ['『', '』'],
]);

/**
 * Returns the entity that one end of a line names: by a wikilink (its display text, else its note), by text in quotes or inline code, or by
 * plain words, also in parentheses or emphasis. Null if it names none.
 */
export function readEntityName(written: string): string | null {
  const text = written.trim();
  if (text.length > MAX_WRITTEN_CHARACTERS) return null;
  if (isWholeLink(text)) return shownName(readWikilink(text, { start: 0, end: text.length }));
  if (quoteEnd(text, 0) === text.length) return asName(text.slice(1, -1).replace(/\\(["\\])/g, '$1'));
  const code = decodeText(text);
  if (code !== text) return asName(code);
  const inner = /^\((.*)\)$|^(?:\*\*|__)(.*)(?:\*\*|__)$|^[*_]([^*_]*)[*_]$/.exec(text);
  const bare = inner?.[1] ?? inner?.[2] ?? inner?.[3];
  if (bare !== undefined && bare.trim() !== '') return readEntityName(bare);
  return asName(text.replace(/\[\[(?:[^\][|]*\|)?([^\][|]*)\]\]/g, '$1').replace(/\\([!-/:-@[-`{-~])/g, '$1'));
}

/** Whether a text is a single wikilink. */
export function isWholeLink(text: string): boolean {
  return text.startsWith('[[') && wikilinkEnd(text, 0, text.length) === text.length;
}

/** Returns the end offset of the quoted text at an offset, including its quotes, or -1. */
export function quoteEnd(text: string, at: number): number {
  const close = QUOTES.get(text.charAt(at));
  if (close === undefined) return -1;
  for (let index = at + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === close) return index + 1;
  }
  return -1;
}

/** Returns what a link in a fact names: its display text, which is the note's title (docs/format.md, Relations), else its note. */
export function shownName({ link, alias }: Pick<Link, 'link' | 'alias'>): string | null {
  return asName(alias ?? '') ?? linkedName(link);
}

/** As `shownName`, for prose: the display text counts only if the file is named after it. Null within the note, and for media. */
export function mentionedName({ link, alias }: Pick<Link, 'link' | 'alias'>): string | null {
  const name = linkedName(link);
  const file = name?.replace(/-[0-9a-f]{8}$/, '');
  return name !== null && file !== undefined && alias !== undefined && (isSlugOf(name, alias) || isSlugOf(file, alias))
    ? asName(alias)
    : name;
}

function linkedName(link: string): string | null {
  const path = link.split('#')[0]?.trim() ?? '';
  const file = path.split('/').at(-1) ?? '';
  if (MEDIA_EXTENSIONS.has(extensionOf(file)) || /\.(?:canvas|base)$/i.test(file)) return null;
  return asName(file.replace(/\.md$/i, ''));
}

function asName(text: string): string | null {
  const name = oneLine(text);
  return isBlankText(name) || name.length > MAX_NAME_CHARACTERS ? null : name;
}
