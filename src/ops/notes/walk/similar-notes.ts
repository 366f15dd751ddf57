import { RouxError } from '../../../errors.ts';
import { splitIntoPassages } from '../../../graph/semantic/passages.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { compareText } from '../../../note/text.ts';
import type { OperationContext } from '../../operation.ts';
import type { Listed } from '../../lists/node-list.ts';

/** How long to wait for the vector of a note that is not embedded yet. */
const MAX_VECTOR_WAIT_MS = 30_000;

/**
 * Finds notes that are similar to a note in meaning and not linked with it in either direction, the most similar first, with the matching
 * section. Throws `PROVIDER_ERROR` if there is no embedding.
 */
export async function similarNotes(
  context: OperationContext,
  entry: NoteEntry,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly notes: readonly Listed[]; readonly total: number }> {
  const { vault } = context;
  const { graph } = vault;
  const { embeddings: meaning } = vault.search;
  const vector = await meaning.getNoteVector(entry.path, AbortSignal.any([context.signal, AbortSignal.timeout(MAX_VECTOR_WAIT_MS)]));
  context.signal.throwIfAborted();
  const { notes: counts, reason, state } = meaning.status();
  if (vector === null) {
    const why = reason ?? (state === 'off' ? 'there is no embedder' : 'the note could not be embedded in time');
    throw new RouxError('PROVIDER_ERROR', `What is similar cannot be told: ${why}. search finds notes by their words.`, undefined, {
      retryable: state !== 'off',
    });
  }
  if (counts.embedded < counts.all)
    context.warn(
      `${counts.embedded} of ${counts.all} notes are embedded so far; the others are not looked at${reason === undefined ? '' : ` (${reason})`}.`,
    );
  const linked = new Set([entry.path, ...graph.walk.neighbors(entry.path, 'both').map(({ entry: neighbor }) => neighbor.path)]);
  const similar = meaning
    .scoreNotes(vector)
    .filter(({ path, score }) => score > 0 && !linked.has(path) && graph.get(path)?.isHidden === false)
    .toSorted((a, b) => b.score - a.score || compareText(a.path, b.path));
  const notes = similar.slice(offset, offset + limit).flatMap(({ path, score, at }): Listed[] => {
    const found = graph.get(path);
    if (found === null) return [];
    const heading =
      at === 0 ? '' : (splitIntoPassages({ title: found.title, text: vault.notes.readTextUnstable(path) ?? '' })[at]?.section ?? '');
    return [{ entry: found, score: Math.min(1, score), ...(heading === '' ? {} : { heading }) }];
  });
  return { notes, total: similar.length };
}
