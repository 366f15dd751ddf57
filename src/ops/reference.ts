import { RouxError } from '../errors.ts';
import type { GraphView, Lookup, NoteEntry } from '../graph/view.ts';
import { foldKey, normalizeId, toNotePath } from '../note/path.ts';
import type { NotePath } from '../note/path.ts';
import { isPathLike, onlineOnlyNote } from '../vault/missing-note.ts';
import { findPeriodicNote, isPeriodicReference } from '../vault/obsidian/periodic-notes.ts';
import type { PeriodicNote } from '../vault/obsidian/periodic-notes.ts';
import type { Vault } from '../vault/vault.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';
import { missingKey } from '../vault/links/renames/plan-retarget.ts';
import { nearestIn, nearestNotes } from './names/near-names.ts';
import type { OperationContext } from './operation.ts';

/** No title or path is longer. */
const MAX_NAME_CHARACTERS = 1_004;

/** How many candidates an `AMBIGUOUS` error names. */
const MAX_CANDIDATES = 20;
/** Maximum attempts to find a note that is missing or ambiguous while others write. */
const MAX_ATTEMPTS = 20;
/** The same for a note that is not where the history has it. */
const MAX_BEHIND = 5;

/** A lookup; `missingAt`: the path that the history has for the note, where no note is. */
type HistoryLookup = Lookup & { readonly missingAt?: string };

/**
 * Finds the note for a caller's reference: id, path (with or without `.md`, any case), path suffix, title or alias.
 * Returns null when there is none; throws `AMBIGUOUS` when there are several. Accepts `[[…]]` around it and `\` for `/`.
 */
export async function findNote(context: OperationContext, reference: string): Promise<NoteEntry | null> {
  const wanted = cleanReference(reference);
  if (wanted === '') return null;
  const periodic = await findPeriodic(context, wanted);
  if (periodic !== null) return atPath(context, periodic.path);
  await context.vault.history.loadOriginals();
  const known = lookUpOriginal(context.vault, wanted);
  if (known.kind === 'found' && (await context.vault.notes.refresh(known.entry.path))) {
    const entry = stillNamed(context.vault, wanted, known.entry);
    if (entry !== null) return entry;
  }
  // During a rename a note has two names, or none: retry until nobody wrote in between.
  let found: HistoryLookup = known;
  let isQuiet = !(await context.vault.writes.waitForWrites());
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const { missingAt } = found;
    const { version } = context.vault.graph;
    found = await refreshAndLookUp(context, wanted, found);
    if (found.kind === 'found') return found.entry;
    const wasQuiet = isQuiet;
    isQuiet = !(await context.vault.writes.waitForWrites());
    // Somebody wrote in between: the graph changed, or the history has moved the note on. Missing at the same path twice, it is deleted.
    const isBehind = (found.missingAt !== missingAt || context.vault.graph.version !== version) && attempts < MAX_BEHIND;
    if (wasQuiet && isQuiet && !isBehind) break;
  }
  // The note existed a moment ago: another program may have renamed it, and the new name may not be known yet.
  if (known.kind === 'found' && found.kind === 'missing') {
    await context.vault.refresh('strict');
    found = await lookUpWithHistory(context, wanted);
  }
  return requireUnambiguous(found, wanted);
}

/** Returns a note that was read again since it was looked up; null if it has lost that name: another note may have it now. */
function stillNamed(vault: Vault, reference: string, { path }: NoteEntry): NoteEntry | null {
  const now = lookUpOriginal(vault, reference);
  return now.kind === 'found' && now.entry.path === path ? now.entry : null;
}

/** Finds the daily, weekly or monthly note for a reference such as `@today`, whether or not it exists; null for other references (E-24). */
export function findPeriodic({ vault, config }: OperationContext, reference: string): Promise<PeriodicNote | null> {
  const now = vault.ports.clock.now();
  return findPeriodicNote({ config, now, obsidian: (file) => vault.settings.obsidian(file) }, cleanReference(reference));
}

/** Returns the note at exactly this path, in any case, after reading it from disk; null when there is none. */
async function atPath({ vault }: OperationContext, path: NotePath): Promise<NoteEntry | null> {
  if (!(await vault.notes.refresh(path))) await vault.refresh('changed');
  const found = vault.graph.lookup(path);
  const candidates = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  return vault.graph.get(path) ?? candidates.find((entry) => foldKey(entry.path) === foldKey(path)) ?? null;
}

/**
 * Looks up a reference again after reading from disk, since the watcher may lag behind an editor: first the path and the known candidates,
 * then everything that is marked as changed.
 */
async function refreshAndLookUp(context: OperationContext, wanted: string, known: Lookup): Promise<HistoryLookup> {
  const { vault } = context;
  const path = toNotePath(wanted) ?? toNotePath(`${wanted}.md`);
  if (path !== null) await vault.notes.refresh(path);
  if (known.kind === 'ambiguous')
    for (const candidate of known.candidates.slice(0, MAX_CANDIDATES)) await vault.notes.refresh(candidate.path);
  await vault.refresh('changed');
  return lookUpWithHistory(context, wanted);
}

/** Finds a note again once the write lock is held: it may have been renamed since it was found. Null when it no longer exists. */
export async function findNoteUnderLock(context: OperationContext, found: NoteEntry, reference: string): Promise<NoteEntry | null> {
  const current = context.vault.graph.get(found.path);
  if (current !== null) return current;
  const wanted = cleanReference(reference);
  return requireUnambiguous(await lookUpWithHistory(context, wanted), wanted);
}

/** Looks up a reference by name, else as the previous path of a note that was renamed or moved. */
async function lookUpWithHistory(context: OperationContext, reference: string): Promise<HistoryLookup> {
  const { graph } = context.vault;
  const found = lookUpOriginal(context.vault, reference);
  if (found.kind !== 'missing' || !isPathLike(reference)) return found;
  const wanted = foldKey(/\.md$/i.test(reference) ? reference : `${reference}.md`);
  const { own, unread } = await context.vault.history.movedNotes();
  let missingAt: string | undefined;
  for (const [from, to] of [...own, ...unread]) {
    if (foldKey(from) !== wanted) continue;
    const path = unread.get(from) === to ? toNotePath(to) : null;
    if (path !== null) await context.vault.notes.refresh(path);
    const entry = graph.get(to);
    if (entry !== null) return { kind: 'found', entry };
    missingAt = to;
  }
  return missingAt === undefined ? found : { ...found, missingAt };
}

/** A note that was found for a reference, with the current contents of its file. */
export interface FoundNote {
  readonly entry: NoteEntry;
  readonly onDisk: NoteOnDisk;
}

/** Finds the note for a reference and reads it from disk once; null when there is none. */
export async function readNote(context: OperationContext, reference: string): Promise<FoundNote | null> {
  const wanted = cleanReference(reference);
  await context.vault.history.loadOriginals();
  const known: Lookup = isPeriodicReference(wanted) ? { kind: 'missing' } : lookUpOriginal(context.vault, wanted);
  const onDisk = known.kind === 'found' ? await context.vault.notes.read(known.entry.path) : null;
  const entry = known.kind === 'found' ? stillNamed(context.vault, wanted, known.entry) : null;
  if (onDisk !== null && entry !== null) return { entry, onDisk };
  for (let attempts = 0; ; attempts++) {
    const found = await findNote(context, reference);
    if (found === null) return null;
    const again = await context.vault.notes.read(found.path);
    if (again !== null) return { entry: found, onDisk: again };
    // It was renamed or removed since it was found.
    if (attempts === MAX_BEHIND) return null;
  }
}

/** Finds the note for a reference, or throws `NODE_NOT_FOUND`. */
export async function requireNote(context: OperationContext, reference: string): Promise<NoteEntry> {
  const entry = await findNote(context, reference);
  return entry ?? throwNoteNotFound(context, reference);
}

/**
 * Finds what a call names, and returns how to get at it. When a call is repeated with its idempotency key, a name may be missing because the
 * first call removed or renamed it: the error is thrown then, so that the write can answer as it did the first time.
 */
export async function findOrDefer<Found>({ writeOptions }: OperationContext, find: () => Promise<Found>): Promise<() => Found> {
  try {
    const found = await find();
    return () => found;
  } catch (error) {
    if (writeOptions.idempotencyKey === undefined) throw error;
    return () => {
      throw error;
    };
  }
}

/** Throws `NODE_NOT_FOUND` for a reference, with the nearest names. */
export function throwNoteNotFound({ vault }: Pick<OperationContext, 'vault'>, reference: string): never {
  const onlineOnly = onlineOnlyNote(vault, reference);
  if (onlineOnly !== null) throw onlineOnly;
  if (isPeriodicReference(cleanReference(reference)))
    throw new RouxError('NODE_NOT_FOUND', `There is no note for ${reference} yet; update_node with append or content makes it.`, {
      id: reference,
    });
  const { text, details } = nearestIn(nearestNotes(vault, reference));
  const message = `There is no note "${reference}".${text} Use search or list_nodes to find its id.`;
  throw new RouxError('NODE_NOT_FOUND', message, { id: reference, ...details });
}

/** Normalizes a reference: removes `[[…]]`, the alias after `|` and outer spaces, and turns backslashes into slashes. */
export function cleanReference(reference: string): string {
  const bare = /^\s*\[\[([^|]*?)(?:\|.*)?\]\]\s*$/s.exec(reference)?.[1] ?? reference;
  return bare.trim().replaceAll('\\', '/');
}

/** Splits `Note#Heading` after the longest part that names a note, since titles may contain `#`. `part` has its `#`, or is `''`. */
export function splitPart(graph: GraphView, reference: string): { readonly note: string; readonly part: string } {
  const wanted = cleanReference(reference);
  // A longer part names nothing.
  let hash = wanted.length <= MAX_NAME_CHARACTERS ? wanted.length : wanted.lastIndexOf('#', MAX_NAME_CHARACTERS);
  while (hash > 0 && graph.lookup(wanted.slice(0, hash)).kind !== 'found') hash = wanted.lastIndexOf('#', hash - 1);
  if (hash <= 0) hash = wanted.includes('#', 1) ? wanted.indexOf('#', 1) : wanted.length;
  return { note: wanted.slice(0, hash), part: wanted.slice(hash) };
}

function requireUnambiguous(found: Lookup, reference: string): NoteEntry | null {
  if (found.kind === 'found') return found.entry;
  if (found.kind === 'missing') return null;
  const candidates = found.candidates.slice(0, MAX_CANDIDATES).map((entry) => ({ id: entry.id, path: entry.path, title: entry.title }));
  const ids = candidates.map(({ id }) => id);
  const [what, names] = new Set(ids).size === ids.length ? ['ids', ids] : ['paths', candidates.map(({ path }) => path)];
  const message = `"${reference}" fits ${found.candidates.length} notes; repeat the call with one of these ${what}: ${names.join(', ')}.`;
  const options = candidates.map(({ id, path, title }) => ({ value: what === 'ids' ? id : path, label: `${title} (${path})` }));
  const choice = { question: `Which note is meant by "${reference}"?`, options, of: { reference } };
  throw new RouxError('AMBIGUOUS', message, { candidates }, { choice });
}

/** Finds all notes with the id of this one, itself included; more than one when its file was copied. */
export function findNotesWithId({ graph }: Pick<Vault, 'graph'>, entry: NoteEntry): readonly NoteEntry[] {
  if (entry.id === normalizeId(entry.path)) return [entry];
  const found = graph.lookup(entry.id);
  return found.kind === 'ambiguous' && found.candidates.every(({ id }) => id === entry.id) ? found.candidates : [entry];
}

/** Checks whether a note is a copy of another note's file, id included: tools use the other one. */
export function isCopy(vault: Vault, entry: NoteEntry): boolean {
  const notes = findNotesWithId(vault, entry);
  return (
    notes.length > 1 &&
    vault.history.findOriginal(
      entry.id,
      notes.map(({ path }) => path),
    ) !== entry.path
  );
}

/** Looks up a reference, ignoring copies whose original matches too. */
export function lookUpOriginal(vault: Vault, reference: string): Lookup {
  const found = vault.graph.lookup(reference);
  if (found.kind !== 'ambiguous') return found;
  const originals = found.candidates.filter((entry) => !isCopy(vault, entry));
  const [first] = originals;
  if (first === undefined) return found;
  return originals.length === 1 ? { kind: 'found', entry: first } : { kind: 'ambiguous', candidates: originals };
}

/** Throws `CONFLICT` when a note is to be removed by a name that a copy of its file has too: the caller may mean the other one. */
export function refuseAmbiguousCopy(vault: Vault, entry: NoteEntry, reference: string): void {
  const paths = findNotesWithId(vault, entry).map(({ path }) => path);
  const isByPath = [entry.path, entry.path.replace(/\.md$/i, '')].includes(reference);
  if (paths.length > 1 && !isByPath) throw sharedNameError(reference, paths, 'copies');
}

/** Returns the error for a removal by a name that several files have: copies of one note, or different notes. */
export function sharedNameError(reference: string, paths: readonly string[], are: 'copies' | 'different'): RouxError {
  const why = are === 'copies' ? 'one is a copy of the other' : 'these are different notes';
  return new RouxError(
    'CONFLICT',
    `"${reference}" is the name of ${paths.join(' and ')}: ${why}. Remove the one that you mean by its path, with delete_node.`,
    { paths },
  );
}

/** An unresolved link target, with the notes that link to it. */
export type Ghost = ReturnType<GraphView['unresolved']>[number];

/** Finds the ghost with this name, in any case, or null. */
export function findGhost(graph: GraphView, reference: string): Ghost | null {
  const key = missingKey(cleanReference(reference));
  return graph.unresolved().find((ghost) => missingKey(ghost.linkpath) === key) ?? null;
}
