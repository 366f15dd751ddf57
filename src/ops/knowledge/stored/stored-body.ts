import { RouxError } from '../../../errors.ts';
import { episodeHash } from '../../../extraction/names.ts';
import { isRecord } from '../../../is-record.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { OperationContext } from '../../operation.ts';
import { bodyOf, readEpisodeContent } from './episode-note.ts';
import type { KnowledgeIndex } from './knowledge-index.ts';
import type { StoredEpisode } from './shapes.ts';

/** So many events of its note are looked at. */
const MAX_EVENTS = 200;

/**
 * The text of an episode as it was accepted: episodes are immutable, so that what a person changed in one since is told of, and is no new
 * version of it (S3-05, X-32). Where the text as it was cannot be found any more, as it is now. Null when its note is gone.
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
  warn(`The note of the episode ${episode.uuid} was edited, and its text as it was accepted is not known any more.`);
  return now.body;
}

/** Short texts stand in the history whole. */
async function bodyInHistory(vault: Vault, episode: StoredEpisode): Promise<string | null> {
  const { events } = await vault.history({ node: episode.path, limit: MAX_EVENTS, withoutRecording: true });
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

/** Of long ones the bytes that roux wrote over are kept for a while, and git may have them. */
async function bodyOfFirstRev(vault: Vault, episode: StoredEpisode): Promise<string | null> {
  try {
    const { onDisk } = await vault.asOf({ node: episode.path, isPath: true, at: '1' });
    const { body } = readEpisodeContent(bodyOf(onDisk.note));
    return isEdited(episode, body) ? null : body;
  } catch (error) {
    if (error instanceof RouxError) return null;
    throw error;
  }
}

/** Whether the text of an episode is another one than was accepted; what a person wrote was never accepted. */
export function isEdited({ ingest, source, referenceTime }: StoredEpisode, body: string): boolean {
  return ingest !== null && ingest.hash !== '' && episodeHash({ source, body, referenceTime }) !== ingest.hash;
}
