import { listSome } from '../shorten.ts';
import type { Config } from '../../config.ts';
import type { NoteEntry } from '../../graph/view.ts';
import { readConflictName } from '../../note/conflict-copy.ts';
import { fileName, fileNameFor, foldKey, isNumbered } from '../../note/path.ts';
import { withRevision } from '../../vault/links/move.ts';
import { readTime } from '../node-properties.ts';
import { currentTime } from '../operation.ts';
import type { Finding, CheckInput } from './finding.ts';

/** Files of a clone or an unpacked archive are created within this time. */
const SAME_AGE_MS = 2_000;

/** Finds notes with the same id. The fix gives the copy a new id; nothing is merged. */
export function findDuplicateIds(input: CheckInput): readonly Finding[] {
  return sharedIds(input.entries).map(([id, entries]): Finding => {
    const paths = entries.map(({ path }) => path);
    const message = `${paths.join(' and ')} have the same id ${id}`;
    const owned = entries.filter((entry) => entry.properties['id'] === id);
    // Two versions of one note are for a person to merge: a new id would make two notes of them, and the wrong one might keep its id.
    if (areOneNote(input, owned)) {
      return {
        kind: 'duplicate-id',
        paths,
        message: `${message}, and may be two versions of one note; merge them and delete one`,
      };
    }
    const original = originalOf(input, owned, id);
    // Ids that are paths, and files of the same age without history, are for a person to decide.
    if (original === null || owned.length < entries.length) return { kind: 'duplicate-id', paths, message };
    const copies = owned.filter(({ path }) => path !== original.path);
    const at = currentTime(input);
    const files = copies.map(({ path }) => ({
      kind: 'change' as const,
      path,
      changes: withRevision({ graph: input.graph, at }, path, [
        { op: 'set', key: ['id'], value: newIdLike(id, input.vault.ports.newId()) },
      ]),
    }));
    return { kind: 'duplicate-id', paths, message, fix: { summary: `keep it in ${original.path}, give the other a new one`, files } };
  });
}

/**
 * Returns whether notes with one id may be versions of one note: one has the name of a conflict copy of another, or they are tasks in different
 * states, or, in a shared vault, any notes that differ.
 */
function areOneNote({ vault }: CheckInput, owned: readonly NoteEntry[]): boolean {
  if (owned.some(({ path }) => readConflictName(path, (other) => owned.some((entry) => entry.path === other)) !== null)) return true;
  const isDifferent = (valueOf: (entry: NoteEntry) => unknown): boolean => new Set(owned.map(valueOf)).size > 1;
  if (isDifferent(({ properties }) => JSON.stringify([properties['state'] ?? null, properties['resolved'] ?? null]))) return true;
  return vault.settings.isShared && isDifferent(({ hash }) => hash);
}

/** Returns ids that several notes have, not counting conflict copies. */
export function duplicateIds(entries: readonly NoteEntry[]): readonly string[] {
  return sharedIds(entries).map(([id]) => id);
}

/** Ignores notes without an id: their paths serve as ids, and equal ones are case collisions. */
function sharedIds(entries: readonly NoteEntry[]): ReturnType<typeof groupsOf> {
  return groupsOf(entries, (entry) => entry.id).filter(([id, group]) => group.some(({ properties }) => properties['id'] === id));
}

/** Finds notes whose paths differ only by case or Unicode form. */
export function findCaseCollisions({ entries }: CheckInput): readonly Finding[] {
  return groupsOf(entries, (entry) => foldKey(entry.path)).map(([, colliding]): Finding => {
    const paths = colliding.map(({ path }) => path);
    return { kind: 'name-twin', paths, message: `${paths.join(' and ')} differ only by case or Unicode form; rename one` };
  });
}

/** Finds duplicates of singletons: types in `ontology.singletons`, and those of notes that `ensure_singleton_node` created. */
export function findSingletons({ vault, graph, entries: all }: CheckInput): readonly Finding[] {
  const created = all.flatMap((entry) => (isCreatedSingleton(entry, vault.settings.config) ? [entry.type] : []));
  const types = [...new Set([...vault.settings.config.ontology.singletons, ...created])].sort(compare);
  return types.flatMap((type) => duplicateSingletons(graph, type));
}

/** Returns the finding about the notes of a singleton type; empty if there is only one. */
function duplicateSingletons(graph: CheckInput['graph'], type: string): readonly Finding[] {
  const entries = graph.facets.byType(type).filter((entry) => entry.type === type);
  if (entries.length < 2) return [];
  const dated = entries.map((entry) => ({ entry, created: readTime(entry.properties, ['created_at', 'created']) ?? '~' }));
  dated.sort((a, b) => compare(a.created, b.created) || compare(a.entry.id, b.entry.id));
  const paths = dated.map(({ entry }) => entry.path);
  const message = `there should be one note of the type "${type}": ${listSome(paths)}; ensure_singleton_node takes the first. Merge them and delete the others`;
  return [{ kind: 'duplicate-singleton', paths, message }];
}

/** Returns warnings about restored notes that duplicate a singleton. */
export function describeDuplicateSingletons({ vault }: Pick<CheckInput, 'vault'>, paths: readonly string[]): readonly string[] {
  const back = paths.flatMap((path) => vault.graph.get(path) ?? []);
  const types = back
    .flatMap(({ type }) => type ?? [])
    .filter((type) => {
      const isNamed = vault.settings.config.ontology.singletons.includes(type);
      return isNamed || vault.graph.facets.byType(type).some((entry) => isCreatedSingleton(entry, vault.settings.config));
    });
  return [...new Set(types)].flatMap((type) => duplicateSingletons(vault.graph, type)).map(({ message }) => `${message}.`);
}

/** Returns whether `ensure_singleton_node` created this note: it names the file after the type and adds an id. */
function isCreatedSingleton(entry: NoteEntry, { filenames }: Pick<Config, 'filenames'>): entry is NoteEntry & { readonly type: string } {
  if (entry.type === null || !/^n_[0-9a-z]{26}$/.test(entry.id)) return false;
  const [name, first] = [foldKey(fileName(entry.path)), foldKey(fileNameFor(entry.type, filenames))];
  return name === first || isNumbered(name, first);
}

/** Returns the note that the history last saw under the id, else the one whose file is older; null if neither decides. */
function originalOf({ vault, background }: CheckInput, entries: readonly NoteEntry[], id: string): NoteEntry | null {
  const home = background.homes.get(id);
  const known = entries.find(({ path }) => path === home);
  if (known !== undefined) return known;
  const aged = entries.map((entry) => ({ entry, created: vault.notes.readUnstable(entry.path)?.createdMs ?? Infinity }));
  const [first, second] = aged.sort((a, b) => compare(a.created, b.created));
  if (first === undefined || (second !== undefined && second.created - first.created < SAME_AGE_MS)) return null;
  return first.entry;
}

/** Returns a new id with the prefix of an id (`t_`, `e_`). */
function newIdLike(id: string, ulid: string): string {
  const prefix = /^([a-z]{1,4}_)[0-9a-z]{26}$/.exec(id)?.[1];
  return `${prefix ?? 'n_'}${ulid}`;
}

function groupsOf(
  entries: readonly NoteEntry[],
  keyOf: (entry: NoteEntry) => string,
): readonly (readonly [string, readonly NoteEntry[]])[] {
  const groups = new Map<string, NoteEntry[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return [...groups].filter(([, group]) => group.length > 1).sort(([a], [b]) => compare(a, b));
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
