import { RouxError } from '../../../errors.ts';
import { episodeHash } from '../../../extraction/names.ts';
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
  try {
    const { onDisk } = await vault.asOf({ node: episode.path, isPath: true, at: '1' });
    const { body } = readEpisodeContent(onDisk.note);
    if (!isEdited(episode, body)) {
      warn(`The note of the episode ${episode.uuid} was edited; this is its text as it was accepted.`);
      return body;
    }
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
  }
  warn(`The note of the episode ${episode.uuid} was edited, and its text as it was accepted is not known any more.`);
  return now.body;
}

/** Whether the text of an episode is another one than was accepted; what a person wrote was never accepted. */
export function isEdited({ ingest, source, referenceTime }: StoredEpisode, body: string): boolean {
  return ingest !== null && ingest.hash !== '' && episodeHash({ source, body, referenceTime }) !== ingest.hash;
}
