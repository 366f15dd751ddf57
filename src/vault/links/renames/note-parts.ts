import { RouxError } from '../../../errors.ts';
import { headingKey, headingLink } from '../../../note/body/heading-path.ts';
import type { Heading, Note } from '../../../note/note.ts';
import { parseNote } from '../../../note/parse.ts';
import type { NotePath } from '../../../note/path.ts';
import { applySplices } from '../../../note/text.ts';
import type { Splice } from '../../../note/text.ts';
import type { FileView } from '../file-lookup.ts';
import type { TextEdit } from '../move.ts';
import { parentOf, PartLinks } from '../part-links.ts';

/** Line numbers listed for a part that exists several times. */
const MAX_LISTED_LINES = 20;

/** A renamed heading or block of a note. `from`: `#Heading`, `#Parent#Heading` or `#^block`. */
export interface PartRename {
  readonly from: string;
  readonly to: string;
}

/** Renames inside one note: the change to its text, and the rewriting of links to its parts. */
export interface NoteParts {
  readonly edit: TextEdit;
  readonly links: PartLinks;
}

const MAX_LISTED_HEADINGS = 40;

/**
 * Plans renames of headings and blocks of one note, all at once, so that two may swap names (E-18). The text is that of `readText`. Throws
 * `NODE_NOT_FOUND` for a part that does not exist, `AMBIGUOUS` with its lines for one that exists several times, `NODE_EXISTS` for a name
 * that is taken, and `INVALID_PARAMS` for an impossible name.
 */
export function planNoteParts(context: FileView, path: NotePath, renames: readonly PartRename[]): NoteParts {
  const note = readNote(context, path);
  const texts = new Map<number, string>();
  const ids = new Map<string, string>();
  const splices: Splice[] = [];
  for (const { from, to } of renames) {
    if (from.startsWith('#^')) splices.push(renameBlock(note, { from: from.slice(2), to: to.replace(/^\^/, '') }, ids));
    else splices.push(renameHeading(note, { from, to: to.trim() }, texts));
  }
  checkNames(note, texts, ids);
  const text = applySplices(note.text, splices);
  checkResult(note, text, texts);
  const etag = context.graph.get(path)?.hash;
  const before = [{ op: 'body' as const, text: text.slice(note.bodyStart) }];
  return { edit: { before, ...(etag === undefined ? {} : { etag }) }, links: new PartLinks(note.headings, { texts, ids }) };
}

function renameHeading(note: Note, { from, to }: PartRename, texts: Map<number, string>): Splice {
  const refused = /[\r\n]/.test(to) ? 'it has several lines' : /^#{1,6}\s/.test(to) ? 'the "#" before a heading are not part of it' : null;
  if (refused !== null || to === '' || headingLink(to) === '') {
    const why = refused ?? 'links cannot lead to it';
    throw new RouxError('INVALID_PARAMS', `${JSON.stringify(to)} cannot be a heading: ${why}. Use one line with words in it.`);
  }
  const index = findHeading(note, from);
  const found = note.headings[index] as Heading;
  const at = note.text.slice(found.start, found.end).indexOf(found.text);
  if (at === -1) {
    throw new RouxError('INVALID_PARAMS', `The heading "${found.text}" of ${note.path} stands on several lines; write it on one first.`);
  }
  checkNewName(note, texts.has(index), { from: found.text, to });
  texts.set(index, to);
  return { start: found.start + at, end: found.start + at + found.text.length, text: to };
}

/** Finds the heading for a path of headings; among several that links cannot distinguish, the one with exactly this text. */
function findHeading(note: Note, from: string): number {
  const segments = from.split('#').slice(1);
  const last = segments.at(-1)?.trim() ?? '';
  const fitting = note.headings.flatMap((_, index) => (isAt(note, index, segments) ? [index] : []));
  const exact = fitting.filter((index) => note.headings[index]?.text === last);
  const found = exact.length === 1 ? exact : fitting;
  const [index] = found;
  if (index === undefined) {
    const shown = note.headings.slice(0, MAX_LISTED_HEADINGS).map(({ text }) => text);
    const more = note.headings.length > MAX_LISTED_HEADINGS ? `, and ${note.headings.length - MAX_LISTED_HEADINGS} more` : '';
    throw new RouxError(
      'NODE_NOT_FOUND',
      `${note.path} has no heading "${segments.join('#')}". Its headings: ${shown.join(', ') || 'none'}${more}.`,
    );
  }
  if (found.length > 1) {
    const lines = found.slice(0, MAX_LISTED_LINES).map((at) => lineOf(note, note.headings[at]?.start ?? 0));
    throw new RouxError(
      'AMBIGUOUS',
      `${note.path} has the heading "${last}" ${found.length} times, on lines ${lines.join(', ')}${found.length > lines.length ? ' and more' : ''}. Name the one above it too: Note#Parent#${last}.`,
      { path: note.path, lines },
    );
  }
  return index;
}

/** Returns whether a heading has this name and is below the other named headings, each nested in the one before. */
function isAt({ headings }: Note, index: number, segments: readonly string[]): boolean {
  let wanted = segments.length - 1;
  for (let at = index; at !== -1 && wanted >= 0; at = parentOf(headings, at)) {
    const isSame = isNamed(headings[at]?.text ?? '', segments[wanted] ?? '');
    if (isSame) wanted -= 1;
    else if (at === index) return false;
  }
  return wanted < 0;
}

/** Punctuation is ignored, unless there is nothing else. */
function isNamed(text: string, name: string): boolean {
  const key = headingKey(name);
  return key === '' ? text === name.trim() : headingKey(text) === key;
}

function renameBlock(note: Note, { from, to }: PartRename, ids: Map<string, string>): Splice {
  if (!/^[A-Za-z0-9-]+$/.test(to)) {
    throw new RouxError('INVALID_PARAMS', `"${to}" cannot be a block id. Use Latin letters, digits and hyphens.`);
  }
  const key = from.trim().toLowerCase();
  const found = note.blocks.filter(({ id }) => id.toLowerCase() === key);
  const [block] = found;
  if (block === undefined) throw new RouxError('NODE_NOT_FOUND', `${note.path} has no block ^${from}.`);
  if (found.length > 1) {
    const lines = found.slice(0, MAX_LISTED_LINES).map(({ start }) => lineOf(note, start));
    const message = `${note.path} has the block ^${from} ${found.length} times, on lines ${lines.join(', ')}${found.length > lines.length ? ' and more' : ''}. Change one of them by hand first.`;
    throw new RouxError('AMBIGUOUS', message, { path: note.path, lines });
  }
  checkNewName(note, ids.has(key), { from: `^${block.id}`, to: `^${to}` });
  ids.set(key, to);
  return { start: block.end - block.id.length, end: block.end, text: to };
}

function checkNewName({ path }: Note, isNamedTwice: boolean, { from, to }: PartRename): void {
  if (isNamedTwice) throw new RouxError('INVALID_PARAMS', `${path}#${from} is renamed twice in one call. Name it once.`, { path });
  if (from === to) throw new RouxError('INVALID_PARAMS', `${path}#${from} is called that already. Give another name.`, { path });
}

/** Throws when two blocks would share an id, or two headings under one parent a name: links could not distinguish them. */
function checkNames(note: Note, texts: ReadonlyMap<number, string>, ids: ReadonlyMap<string, string>): void {
  const idsAfter = note.blocks.map(({ id }) => ids.get(id.toLowerCase()) ?? id);
  for (const to of ids.values()) {
    if (idsAfter.filter((id) => id.toLowerCase() === to.toLowerCase()).length < 2) continue;
    throw new RouxError('NODE_EXISTS', `${note.path} has a block ^${to} already. Choose another id.`, { path: note.path });
  }
  const after = note.headings.map((heading, index) => ({ ...heading, text: texts.get(index) ?? heading.text }));
  for (const [index, text] of texts) {
    const parent = parentOf(after, index);
    const duplicate = after.findIndex((other, at) => at !== index && parentOf(after, at) === parent && isNamed(other.text, text));
    if (duplicate === -1) continue;
    const line = lineOf(note, after[duplicate]?.start ?? 0);
    const message = `${note.path} has a heading "${after[duplicate]?.text ?? ''}" there already (line ${line}); links could not tell the two apart. Choose another name.`;
    throw new RouxError('NODE_EXISTS', message, { path: note.path, line });
  }
}

/** Parses the result: a name may have another meaning where it is inserted. */
function checkResult(note: Note, text: string, texts: ReadonlyMap<number, string>): void {
  const { headings, blocks } = parseNote(note.path, text, { reader: 'authoritative' });
  const isSame =
    headings.length === note.headings.length &&
    blocks.length === note.blocks.length &&
    headings.every(
      ({ level, text: name }, index) => level === note.headings[index]?.level && name === (texts.get(index) ?? note.headings[index]?.text),
    );
  if (isSame) return;
  const names = [...texts.values()].map((name) => JSON.stringify(name)).join(', ');
  throw new RouxError('INVALID_PARAMS', `${names} would be read as something else in ${note.path}. Choose a simpler name.`, {
    path: note.path,
  });
}

function lineOf({ text }: Note, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\r|\n/).length;
}

function readNote(context: FileView, path: NotePath): Note {
  const text = context.readText(path);
  if (text === null) throw new RouxError('NODE_NOT_FOUND', `There is no note ${path}. Look it up again: it may have been moved.`, { path });
  return parseNote(path, text, { reader: 'authoritative' });
}
