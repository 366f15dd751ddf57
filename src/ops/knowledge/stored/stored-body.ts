import { RouxError } from '../../../errors.ts';
import { episodeHash } from '../../../extraction/names.ts';
import { isRecord } from '../../../is-record.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { OperationContext } from '../../operation.ts';
import { readEpisodeContent } from './episode-note.ts';
import type { KnowledgeIndex } from './knowledge-index.ts';
import type { StoredEpisode } from './shapes.ts';

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
  const body = (await asWritten(vault, episode)) ?? (await asRecorded(vault, episode));
  if (body !== null) {
    warn(`The note of the episode ${episode.uuid} was edited; this is its text as it was accepted.`);
    return body;
  }
  warn(`The note of the episode ${episode.uuid} was edited, and its text as it was accepted is not known any more.`);
  return now.body;
}

/** From the first bytes of its note, where a later write kept them. */
async function asWritten(vault: Vault, episode: StoredEpisode): Promise<string | null> {
  try {
    const { onDisk } = await vault.asOf({ node: episode.path, isPath: true, at: '1' });
    const { body } = readEpisodeContent(onDisk.note);
    return isEdited(episode, body) ? null : body;
  } catch (error) {
    if (error instanceof RouxError) return null;
    throw error;
  }
}

/** So many events of an episode are looked through: its making is among the first. */
const MOST_EVENTS = 1_000;

/** From the history, which holds the text of a short note itself: nobody wrote it again before it was edited. */
async function asRecorded(vault: Vault, episode: StoredEpisode): Promise<string | null> {
  const { events } = await vault.history({ node: episode.path, limit: MOST_EVENTS });
  for (const { changes } of events.toReversed()) {
    const text = changes.flatMap(({ field, after }) => (field === 'body' && isRecord(after) ? [after['text']] : [])).at(0);
    if (typeof text !== 'string') continue;
    const { body } = readEpisodeContent({ text, bodyStart: 0 });
    if (!isEdited(episode, body)) return body;
  }
  return null;
}

/** Whether the text of an episode is another one than was accepted; what a person wrote was never accepted. */
export function isEdited({ ingest, source, referenceTime }: StoredEpisode, body: string): boolean {
  return ingest !== null && ingest.hash !== '' && episodeHash({ source, body, referenceTime }) !== ingest.hash;
}
