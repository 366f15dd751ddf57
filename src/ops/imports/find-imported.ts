import type { NoteEntry } from '../../graph/view.ts';
import { isRecord } from '../../is-record.ts';
import type { Vault } from '../../vault/vault.ts';
import { lookUpOriginal } from '../reference.ts';

/** Finds the note with an id that an import gave it, wherever it is now; of copies, the original. */
export function findImported(vault: Vault, id: string): NoteEntry | null {
  const found = lookUpOriginal(vault, id);
  return found.kind === 'found' && found.entry.id === id ? found.entry : null;
}

/**
 * Returns why ids that no note has are not to be used for new ones: their notes were deleted or merged here, or are there and cannot be read.
 * What an undo took back was never there.
 */
export async function findGone(
  { graph, history }: Pick<Vault, 'graph' | 'history'>,
  nodes: readonly string[],
): Promise<ReadonlyMap<string, 'deleted' | 'unreadable'>> {
  const gone = new Map<string, 'deleted' | 'unreadable'>();
  if (nodes.length === 0) return gone;
  for (const [id, [last]] of await history.ofNotes({ nodes, limit: 1 })) {
    if (last === undefined) continue;
    if (last.action !== 'deleted' && last.action !== 'merged' && graph.get(last.path) !== null) gone.set(id, 'unreadable');
    else if (last.action === 'merged' || last.batch === undefined || !history.isUndo(last.batch)) gone.set(id, 'deleted');
  }
  return gone;
}

/** Events of a note that are looked at. */
const MAX_EVENTS = 50;

/**
 * Returns those of imported notes in whose text nothing but links was changed since the import, by roux itself, because what they lead to
 * was moved. `body`: the hash of the text at the last import.
 */
export async function findRelinked(
  { history }: Pick<Vault, 'history'>,
  notes: readonly { readonly id: string; readonly hash: string; readonly body: string }[],
): Promise<ReadonlySet<string>> {
  const relinked = new Set<string>();
  if (notes.length === 0) return relinked;
  const events = await history.ofNotes({ nodes: notes.map(({ id }) => id), limit: MAX_EVENTS });
  for (const { id, hash, body } of notes) {
    const own = events.get(id) ?? [];
    const last = own[0]?.hash;
    // What was saved since the last event is nobody's move.
    if (last === undefined || !hash.startsWith(last)) continue;
    const before = own.find(
      ({ action, foreign, changes }) =>
        foreign === true || action !== 'updated' || !changes.every(({ field }) => field === 'links' || field === 'path'),
    );
    const hadBody = before?.changes.some(
      ({ field, after }) => field === 'body' && isRecord(after) && typeof after['hash'] === 'string' && after['hash'].startsWith(body),
    );
    if (before?.foreign !== true && hadBody === true) relinked.add(id);
  }
  return relinked;
}
