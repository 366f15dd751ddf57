import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ports } from '../../../ports.ts';
import { isSettled } from '../stored/shapes.ts';
import type { StoredEpisode } from '../stored/shapes.ts';

/** What an item is told by; `digest`: of what it is read from. */
interface Marked {
  readonly uuid: string;
  readonly groupId: string;
  readonly digest: string;
}

/**
 * What shows that this user's roux accepted an item as it is: only such items are worked on by themselves, and neither what came with the
 * folder nor what was put into the note of another one. An item that is done has none: it could be sent back to wait once more.
 */
export function markOf({ secret }: Pick<Ports, 'secret'>, { uuid, groupId, digest }: Marked): string {
  return createHmac('sha256', secret())
    .update(JSON.stringify(['ingest of', groupId, uuid, digest]))
    .digest('hex')
    .slice(0, 32);
}

/** Whether an item waits and is this user's. */
export function isOurs(ports: Pick<Ports, 'secret'>, { uuid, groupId, digest, ingest }: StoredEpisode): boolean {
  if (digest === null || ingest === null || ingest.mark === null) return false;
  const [given, wanted] = [Buffer.from(ingest.mark), Buffer.from(markOf(ports, { uuid, groupId, digest }))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Whether an item waits that this user's roux did not accept like this: nothing is done with it until somebody retries it. */
export function isForeign(ports: Pick<Ports, 'secret'>, episode: StoredEpisode): boolean {
  return episode.ingest !== null && !isSettled(episode.ingest) && !isOurs(ports, episode);
}
