import { RouxError } from '../../../errors.ts';
import { episodeHash } from '../../../extraction/names.ts';
import { isRecord } from '../../../is-record.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { OperationContext } from '../../operation.ts';
import { bodyOf, readEpisodeContent } from './episode-note.ts';
import type { KnowledgeIndex } from './knowledge-index.ts';
import type { StoredEpisode } from './shapes.ts';

/** Events of a note that are searched. */
const MAX_EVENTS = 200;

/**
 * Returns the text of an episode as it was accepted. Episodes are immutable: if a person edited the note, the accepted text is returned with
 * a warning (S3-05, X-32), or the present one if the accepted one is not found. Null if the note is gone.
 */
export async function storedBody(
  { vault, warn }: Pick<OperationContext, 'vault' | 'warn'>,
  index: KnowledgeIndex,
  episode: StoredEpisode,
): Promise<string | null> {
  const now = index.contentOf(episode);
  if (now === null) return null;
  if (!isEdited(episode, now.body)) return now.body;
  const body = (await bodyInHistory(vault, episode)) ?? (await bodyOfFirstRev(vault, episode));
  if (body !== null) {
    warn(`The note of the episode ${episode.uuid} was edited; this is its text as it was accepted.`);
    return body;
  }
  warn(`The note of the episode ${episode.uuid} was edited, and the accepted text was not found; this is the present text.`);
  return now.body;
}

/** Short texts are complete in the history. */
async function bodyInHistory(vault: Vault, episode: StoredEpisode): Promise<string | null> {
  const { events } = await vault.history.ofNote({ node: episode.path, limit: MAX_EVENTS, withoutRecording: true });
  for (const { changes } of events)
    for (const { field, before, after } of changes) {
      const sides = field === 'body' ? [before, after] : [];
      for (const side of sides) {
        const text = isRecord(side) ? side['text'] : undefined;
        const body = typeof text === 'string' ? readEpisodeContent(text).body : null;
        if (body !== null && !isEdited(episode, body)) return body;
      }
    }
  return null;
}

/** Long texts are retained for a while when roux overwrites them, and may be in git. */
async function bodyOfFirstRev(vault: Vault, episode: StoredEpisode): Promise<string | null> {
  try {
    const { onDisk } = await vault.history.asOf({ node: episode.path, isPath: true, at: '1' });
    const { body } = readEpisodeContent(bodyOf(onDisk.note));
    return isEdited(episode, body) ? null : body;
  } catch (error) {
    if (error instanceof RouxError) return null;
    throw error;
  }
}

/** Returns whether the text of an episode differs from the accepted one; false for a note that a person wrote. */
export function isEdited({ ingest, source, referenceTime }: StoredEpisode, body: string): boolean {
  return ingest !== null && ingest.hash !== '' && episodeHash({ source, body, referenceTime }) !== ingest.hash;
}
