import { RouxError } from '../errors.ts';
import type { GraphView, Lookup, NoteEntry } from '../graph/view.ts';
import { foldKey, normalizeId, toNotePath } from '../note/path.ts';
import type { NotePath } from '../note/path.ts';
import { isPathLike } from '../vault/fate.ts';
import { findPeriodicNote, isPeriodicReference } from '../vault/obsidian/periodic-notes.ts';
import type { PeriodicNote } from '../vault/obsidian/periodic-notes.ts';
import type { Vault } from '../vault/vault.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';
import type { OperationContext } from './operation.ts';

/** How many candidates an `AMBIGUOUS` error names. */
const MAX_CANDIDATES = 20;
/** How often a note is looked for that is not there, or is there twice, while others write. */
const MAX_LOOKS = 20;

/**
 * The note that a reference of a caller leads to: id, path (with or without `.md`, any case), path suffix, title or alias.
 * Null when there is none; `AMBIGUOUS` when there are several. `[[…]]` around it and `\` for `/` are understood.
 */
export async function findNote(context: OperationContext, reference: string): Promise<NoteEntry | null> {
  const wanted = cleanReference(reference);
  if (wanted === '') return null;
  const periodic = await findPeriodic(context, wanted);
  if (periodic !== null) return atPath(context, periodic.path);
  const known = lookUpOriginal(context.vault, wanted);
  if (known.kind === 'found' && (await context.vault.read(known.entry.path)) !== null)
    return context.vault.graph.get(known.entry.path) ?? noteOf(lookUpOriginal(context.vault, wanted), wanted);
  // In the middle of a rename a note has two names, or none: it is looked for until nobody wrote meanwhile.
  let found: Lookup = known;
  let isCalm = !(await context.vault.writesEnded());
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    found = await lookAgain(context, wanted, found);
    if (found.kind === 'found') return found.entry;
    const wasCalm = isCalm;
    isCalm = !(await context.vault.writesEnded());
    if (wasCalm && isCalm) break;
  }
  // The note was there a moment ago: renamed by somebody else than roux, its new name may not have been noticed yet.
  if (known.kind === 'found' && found.kind === 'missing') {
    await context.vault.refresh('strict');
    found = await lookAround(context, wanted);
  }
  return noteOf(found, wanted);
}

/** The note of a day, week or month that a reference means (`@today`), whether it is there or not; null for other references (E-24). */
export function findPeriodic({ vault, config }: OperationContext, reference: string): Promise<PeriodicNote | null> {
  const now = vault.ports.clock.now();
  return findPeriodicNote({ config, now, obsidian: (file) => vault.obsidian(file) }, cleanReference(reference));
}

/** The note at exactly this path, in any case, as it is now. */
async function atPath({ vault }: OperationContext, path: NotePath): Promise<NoteEntry | null> {
  if ((await vault.read(path)) === null) await vault.refresh('changed');
  const found = vault.graph.lookup(path);
  const candidates = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  return vault.graph.get(path) ?? candidates.find((entry) => foldKey(entry.path) === foldKey(path)) ?? null;
}

/**
 * The watcher may be a moment behind an editor: a path, and what fits as far as is known, are looked up on the disk,
 * the rest after what is marked as changed was read.
 */
async function lookAgain(context: OperationContext, wanted: string, known: Lookup): Promise<Lookup> {
  const { vault } = context;
  const path = toNotePath(wanted) ?? toNotePath(`${wanted}.md`);
  if (path !== null) await vault.read(path);
  if (known.kind === 'ambiguous') for (const candidate of known.candidates.slice(0, MAX_CANDIDATES)) await vault.read(candidate.path);
  await vault.refresh('changed');
  return lookAround(context, wanted);
}

/** The note that was found under a reference, as it is once its turn to be written has come: somebody may have renamed it meanwhile. */
export async function noteInTurn(context: OperationContext, found: NoteEntry, reference: string): Promise<NoteEntry | null> {
  const standing = context.vault.graph.get(found.path);
  if (standing !== null) return standing;
  const wanted = cleanReference(reference);
  return noteOf(await lookAround(context, wanted), wanted);
}

/** What a reference leads to by its name, else as a path that a note had before it was renamed or moved, while nothing else claims that. */
async function lookAround(context: OperationContext, reference: string): Promise<Lookup> {
  const { graph } = context.vault;
  const found = lookUpOriginal(context.vault, reference);
  if (found.kind !== 'missing' || !isPathLike(reference)) return found;
  const wanted = foldKey(/\.md$/i.test(reference) ? reference : `${reference}.md`);
  const { own } = await context.vault.movedNotes();
  for (const [from, to] of own) {
    const entry = foldKey(from) === wanted ? graph.get(to) : null;
    if (entry !== null) return { kind: 'found', entry };
  }
  return found;
}

/** A note that a reference leads to, with what its file holds now. */
export interface FoundNote {
  readonly entry: NoteEntry;
  readonly onDisk: NoteOnDisk;
}

/** The note that a reference leads to as it is on disk, read once; null when there is none. */
export async function readNote(context: OperationContext, reference: string): Promise<FoundNote | null> {
  const wanted = cleanReference(reference);
  const known: Lookup = isPeriodicReference(wanted) ? { kind: 'missing' } : lookUpOriginal(context.vault, wanted);
  const onDisk = known.kind === 'found' ? await context.vault.read(known.entry.path) : null;
  const entry = known.kind === 'found' ? context.vault.graph.get(known.entry.path) : null;
  if (onDisk !== null && entry !== null) return { entry, onDisk };
  const found = await findNote(context, reference);
  const again = found === null ? null : await context.vault.read(found.path);
  return found === null || again === null ? null : { entry: found, onDisk: again };
}

/** The note that a reference leads to, or `NODE_NOT_FOUND`. */
export async function requireNote(context: OperationContext, reference: string): Promise<NoteEntry> {
  const entry = await findNote(context, reference);
  return entry ?? noSuchNote(reference);
}

/** Throws `NODE_NOT_FOUND` for a reference that leads to no note. */
export function noSuchNote(reference: string): never {
  throw new RouxError('NODE_NOT_FOUND', `There is no note "${reference}". Use search or list_nodes to find its id.`, { id: reference });
}

/** A reference without what people put around it: `[[…]]`, an alias after `|`, backslashes, spaces. */
export function cleanReference(reference: string): string {
  const bare = /^\s*\[\[([^|]*?)(?:\|.*)?\]\]\s*$/s.exec(reference)?.[1] ?? reference;
  return bare.trim().replaceAll('\\', '/');
}

function noteOf(found: Lookup, reference: string): NoteEntry | null {
  if (found.kind === 'found') return found.entry;
  if (found.kind === 'missing') return null;
  const candidates = found.candidates.slice(0, MAX_CANDIDATES).map((entry) => ({ id: entry.id, path: entry.path, title: entry.title }));
  const ids = candidates.map(({ id }) => id);
  const [what, names] = new Set(ids).size === ids.length ? ['ids', ids] : ['paths', candidates.map(({ path }) => path)];
  const message = `"${reference}" fits ${found.candidates.length} notes; repeat the call with one of these ${what}: ${names.join(', ')}.`;
  throw new RouxError('AMBIGUOUS', message, { candidates });
}

/** The notes that share the id of this one, itself among them; one where nobody copied its file. */
export function notesOfId({ graph }: Pick<Vault, 'graph'>, entry: NoteEntry): readonly NoteEntry[] {
  if (entry.id === normalizeId(entry.path)) return [entry];
  const found = graph.lookup(entry.id);
  return found.kind === 'ambiguous' && found.candidates.every(({ id }) => id === entry.id) ? found.candidates : [entry];
}

/** Whether a note is a copy that somebody made of another one's file, id included: tools serve the other one. */
export function isCopy(vault: Vault, entry: NoteEntry): boolean {
  const notes = notesOfId(vault, entry);
  return (
    notes.length > 1 &&
    vault.originalOf(
      entry.id,
      notes.map(({ path }) => path),
    ) !== entry.path
  );
}

/** The note that a reference means, copies left out where their original fits too. */
export function lookUpOriginal(vault: Vault, reference: string): Lookup {
  const found = vault.graph.lookup(reference);
  if (found.kind !== 'ambiguous') return found;
  const originals = found.candidates.filter((entry) => !isCopy(vault, entry));
  const [first] = originals;
  if (first === undefined) return found;
  return originals.length === 1 ? { kind: 'found', entry: first } : { kind: 'ambiguous', candidates: originals };
}

/** Refuses to remove a note by a name that a copy of its file has too: whoever meant the other one would lose this one. */
export function refuseWhileCopied(vault: Vault, entry: NoteEntry, reference: string): void {
  const paths = notesOfId(vault, entry).map(({ path }) => path);
  const isByPath = [entry.path, entry.path.replace(/\.md$/i, '')].includes(reference);
  if (paths.length > 1 && !isByPath) throw copied(reference, paths);
}

/** The error of a removal by a name that several files have. */
export function copied(reference: string, paths: readonly string[]): RouxError {
  return new RouxError(
    'CONFLICT',
    `"${reference}" is the name of ${paths.join(' and ')}: one is a copy of the other. Remove the one that you mean by its path, with delete_node.`,
    { paths },
  );
}

/** A link target that no note stands for yet, with the notes that link to it. */
export type Ghost = ReturnType<GraphView['unresolved']>[number];

/** The ghost that a reference names, in whatever case, or null. */
export function findGhost(graph: GraphView, reference: string): Ghost | null {
  const key = ghostKey(cleanReference(reference));
  return graph.unresolved().find((ghost) => ghostKey(ghost.linkpath) === key) ?? null;
}

function ghostKey(linkpath: string): string {
  return foldKey(linkpath).replace(/\.md$/, '');
}
