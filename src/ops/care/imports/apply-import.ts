import type { NoteEntry } from '../../../graph/view.ts';
import { RouxError } from '../../../errors.ts';
import type { NoteChange } from '../../../note/change.ts';
import { composeNote } from '../../../note/compose.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import { bodyStartOf } from '../../../note/frontmatter/read-frontmatter.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { baseName, needsSafeName } from '../../../note/path.ts';
import { ORIGIN } from '../../call/origin.ts';
import { hashText, hashValue, importedId, IMPORTED_KEY, toImportValue } from '../../imports/import-state.ts';
import type { ImportState } from '../../imports/import-state.ts';

/** A note of a source, with its links in place. */
export interface GivenNote {
  readonly id: string;
  readonly title: string;
  /** Where it goes if it is new. */
  readonly path: string;
  readonly aliases: readonly string[];
  readonly properties: Properties;
  readonly body: string;
  /** A hash of all that the source has. */
  readonly source: string;
}

/** A note that an earlier import made. */
interface ImportedEntry {
  readonly from: string;
  readonly entry: NoteEntry;
  readonly text: string;
  readonly state: ImportState;
  /** In its text, only links were rewritten since, because what they lead to was moved. */
  readonly isRelinked: boolean;
}

/** What an import changes in a note. */
export interface AppliedNote {
  readonly changes: readonly NoteChange[];
  readonly fields: readonly string[];
  /** Parts that both sides changed, to different values. */
  readonly conflicts: readonly string[];
}

/** The name of the title among the hashes of properties: also where the file name is the title. */
const TITLE = 'title';
/** The name of the other names that a note has at its source. */
const ALIASES = 'aliases';

/** Returns the text of a new note. What its frontmatter cannot hold stands below the text, as JSON. */
export function composeImport(from: string, note: GivenNote): { readonly text: string; readonly isComplete: boolean } {
  const { path, title, properties, body } = note;
  const aliases = [...new Set([...(needsSafeName(title) ? [title] : []), ...note.aliases])].filter((alias) => alias !== baseName(path));
  const head = {
    id: importedId('n', { from, id: note.id }),
    [TITLE]: title === baseName(path) ? undefined : title,
    aliases: aliases.length === 0 ? undefined : aliases,
  };
  const tail = (state: ImportState) => ({ [ORIGIN]: 'import', [IMPORTED_KEY]: toImportValue(state) });
  try {
    return { text: composeNote({ properties: { ...head, ...properties, ...tail(stateOf(from, note)) }, body }), isComplete: true };
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    const rest = `${body === '' ? '' : `${body}\n`}## Properties that did not fit\n\n\`\`\`json\n${toJson(properties)}\n\`\`\`\n`;
    const state = { ...stateOf(from, { ...note, properties: {} }), body: hashText(rest) };
    return { text: composeNote({ properties: { ...head, aliases: undefined, ...tail(state) }, body: rest }), isComplete: false };
  }
}

/**
 * Brings a note up to date with its source. Each part is compared with what both had at the last import: what only the source changed is
 * taken over, what was changed here stays, and of what both changed, the note's stays unless `isForced`.
 */
export function applyImport({ from, entry, text, state, isRelinked }: ImportedEntry, note: GivenNote, isForced: boolean): AppliedNote {
  const changes: NoteChange[] = [];
  const [fields, conflicts]: [string[], string[]] = [[], []];
  const next: Record<string, string> = { ...state.properties };
  const compare = (name: string, ours: string, theirs: string, take: () => void): void => {
    const was = state.properties[name] ?? '';
    if (theirs === ours || theirs === was) {
      if (theirs === ours) next[name] = theirs;
      return;
    }
    if (ours !== was && !isForced) return void conflicts.push(name);
    take();
    fields.push(name);
    next[name] = theirs;
  };
  compare(TITLE, hashValue(entry.title), hashValue(note.title), () => {
    const isInName = note.title === baseName(entry.path);
    changes.push(isInName ? { op: 'unset', key: [TITLE] } : { op: 'set', key: [TITLE], value: note.title });
    if (needsSafeName(note.title)) changes.push({ op: 'append', key: ['aliases'], value: note.title, unique: true });
  });
  next[ALIASES] = hashAliases(note.aliases);
  // Names are added alone: whose those are that the note has besides, nothing says.
  const named =
    next[ALIASES] === (state.properties[ALIASES] ?? '')
      ? []
      : note.aliases.filter((alias) => !entry.aliases.includes(alias) && alias !== baseName(entry.path));
  for (const value of named) changes.push({ op: 'append', key: [ALIASES], value, unique: true });
  if (named.length > 0) fields.push(ALIASES);
  const keys = new Set([...Object.keys(note.properties), ...Object.keys(state.properties)]);
  for (const name of [TITLE, ALIASES]) keys.delete(name);
  for (const key of keys) {
    const value = note.properties[key];
    compare(key, hashValue(entry.properties[key]), hashValue(value), () =>
      changes.push(value === undefined ? { op: 'unset', key: [key] } : { op: 'set', key: [key], value }),
    );
  }
  const present = text.slice(bodyStartOf(text));
  const [ours, theirs] = [hashText(present), hashText(note.body)];
  let body = state.body;
  if (ours === theirs) body = theirs;
  else if (theirs !== state.body) {
    if (ours !== state.body && !isRelinked && !isForced) conflicts.push('text');
    else {
      changes.push({ op: 'body', text: note.body });
      fields.push('text');
      body = theirs;
    }
  }
  // With a conflict, the next import has to look again.
  const source = conflicts.length === 0 ? note.source : state.source;
  const properties = Object.fromEntries(Object.entries(next).filter(([, hash]) => hash !== ''));
  const value = toImportValue({ from, id: note.id, source, body, properties });
  if (!sameValue(entry.properties[IMPORTED_KEY], value)) changes.push({ op: 'set', key: [IMPORTED_KEY], value });
  return { changes, fields, conflicts };
}

function stateOf(from: string, { id, title, aliases, properties, body, source }: GivenNote): ImportState {
  const hashes = Object.entries({ ...properties, [TITLE]: title }).map(([key, value]) => [key, hashValue(value)] as const);
  const names = hashAliases(aliases);
  return {
    from,
    id,
    source,
    body: hashText(body),
    properties: { ...Object.fromEntries(hashes), ...(names === '' ? {} : { [ALIASES]: names }) },
  };
}

function hashAliases(aliases: readonly string[]): string {
  return aliases.length === 0 ? '' : hashValue(aliases);
}

function toJson(properties: Readonly<Record<string, PropertyValue>>): string {
  return JSON.stringify(properties, null, 2).replaceAll('`', '\\u0060');
}
