import type { Config } from '../../config.ts';
import type { NoteEntry } from '../../graph/view.ts';
import { fileName, fileNameFor, foldKey, isNumbered } from '../../note/path.ts';
import { withRevision } from '../../vault/links/move.ts';
import { readTime } from '../node-properties.ts';
import { currentTime } from '../operation.ts';
import { listSome } from './finding.ts';
import type { Finding, Look } from './finding.ts';

/** Notes that share an id. The copy gets one of its own; nothing is merged. */
export function findDuplicateIds(look: Look): readonly Finding[] {
  return sharedIds(look.entries).map(([id, entries]): Finding => {
    const paths = entries.map(({ path }) => path);
    const message = `${paths.join(' and ')} have the same id ${id}`;
    const owned = entries.filter((entry) => entry.properties['id'] === id);
    const original = originalOf(look, owned, id);
    // An id that is another note's path, and files of one age that no history knows, are for a person to sort out.
    if (original === null || owned.length < entries.length) return { kind: 'duplicate-id', paths, message };
    // Two states of one note are for a person to join: a new id would make two notes of them, and the wrong one might keep its own.
    if (areOneNote(look, owned)) {
      return {
        kind: 'duplicate-id',
        paths,
        message: `${message}, and may be one note that was changed in two places: bring together what they say, and delete one`,
      };
    }
    const copies = owned.filter(({ path }) => path !== original.path);
    const at = currentTime(look);
    const files = copies.map(({ path }) => ({
      kind: 'change' as const,
      path,
      changes: withRevision({ graph: look.graph, at }, path, [{ op: 'set', key: ['id'], value: newIdLike(id, look.vault.ports.newId()) }]),
    }));
    return { kind: 'duplicate-id', paths, message, fix: { summary: `keep it in ${original.path}, give the other a new one`, files } };
  });
}

/** Whether notes of one id are what became of one note: tasks that stand differently, and, where several machines share the vault, all that differ. */
function areOneNote({ vault }: Look, owned: readonly NoteEntry[]): boolean {
  const isDifferent = (valueOf: (entry: NoteEntry) => unknown): boolean => new Set(owned.map(valueOf)).size > 1;
  if (isDifferent(({ properties }) => JSON.stringify([properties['state'] ?? null, properties['resolved'] ?? null]))) return true;
  return vault.isShared && isDifferent(({ hash }) => hash);
}

/** Ids that several notes have; conflict copies do not count. */
export function duplicateIds(entries: readonly NoteEntry[]): readonly string[] {
  return sharedIds(entries).map(([id]) => id);
}

/** Without an id of its own a note has its path, which twins by Unicode form share: that is another finding. */
function sharedIds(entries: readonly NoteEntry[]): ReturnType<typeof groupsOf> {
  return groupsOf(entries, (entry) => entry.id).filter(([id, group]) => group.some(({ properties }) => properties['id'] === id));
}

/** Notes whose paths differ only by case or Unicode form. */
export function findTwins({ entries }: Look): readonly Finding[] {
  return groupsOf(entries, (entry) => foldKey(entry.path)).map(([, twins]): Finding => {
    const paths = twins.map(({ path }) => path);
    return { kind: 'name-twin', paths, message: `${paths.join(' and ')} differ only by case or Unicode form; rename one` };
  });
}

/** Types of which there should be one note and are several: those of `ontology.singletons`, and those of notes that `ensure_singleton_node` made. */
export function findSingletons({ vault, graph, entries: all }: Look): readonly Finding[] {
  const made = all.flatMap((entry) => (isMadeSingleton(entry, vault.config) ? [entry.type] : []));
  const types = [...new Set([...vault.config.ontology.singletons, ...made])].sort(compare);
  return types.flatMap((type) => duplicateSingletons(graph, type));
}

/** The finding about the notes of a type of which there should be one; none where there is no more. */
function duplicateSingletons(graph: Look['graph'], type: string): readonly Finding[] {
  const entries = graph.byType(type).filter((entry) => entry.type === type);
  if (entries.length < 2) return [];
  const dated = entries.map((entry) => ({ entry, created: readTime(entry.properties, ['created_at', 'created']) ?? '~' }));
  dated.sort((a, b) => compare(a.created, b.created) || compare(a.entry.id, b.entry.id));
  const paths = dated.map(({ entry }) => entry.path);
  const message = `there should be one note of the type "${type}": ${listSome(paths)}; ensure_singleton_node takes the first. Merge them and delete the others`;
  return [{ kind: 'duplicate-singleton', paths, message }];
}

/** What is to be told of notes that are back and of which there should be one of their type, by name. */
export function tellDuplicateSingletons({ vault }: Pick<Look, 'vault'>, paths: readonly string[]): readonly string[] {
  const back = paths.flatMap((path) => vault.graph.get(path) ?? []);
  const types = back
    .flatMap(({ type }) => type ?? [])
    .filter((type) => {
      const isNamed = vault.config.ontology.singletons.includes(type);
      return isNamed || vault.graph.byType(type).some((entry) => isMadeSingleton(entry, vault.config));
    });
  return [...new Set(types)].flatMap((type) => duplicateSingletons(vault.graph, type)).map(({ message }) => `${message}.`);
}

/** Whether `ensure_singleton_node` made this note: it names the file after the type and gives an id. */
function isMadeSingleton(entry: NoteEntry, { filenames }: Pick<Config, 'filenames'>): entry is NoteEntry & { readonly type: string } {
  if (entry.type === null || !/^n_[0-9a-z]{26}$/.test(entry.id)) return false;
  const [name, first] = [foldKey(fileName(entry.path)), foldKey(fileNameFor(entry.type, filenames))];
  return name === first || isNumbered(name, first);
}

/** The one that the history saw last under the id, else the one whose file is older; null when neither tells. */
function originalOf({ vault, background }: Look, entries: readonly NoteEntry[], id: string): NoteEntry | null {
  const home = background.homes.get(id);
  const known = entries.find(({ path }) => path === home);
  if (known !== undefined) return known;
  const aged = entries.map((entry) => ({ entry, created: vault.readUnstable(entry.path)?.createdMs ?? Infinity }));
  const [first, second] = aged.sort((a, b) => compare(a.created, b.created));
  if (first === undefined || (second !== undefined && second.created - first.created < SAME_AGE_MS)) return null;
  return first.entry;
}

/** Files that a clone or an unpacked archive made at once. */
const SAME_AGE_MS = 2_000;

/** A new id with the prefix that tells what the note is (`t_`, `e_`). */
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
