import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ports } from '../../../ports.ts';
import { isSettled } from '../stored/shapes.ts';
import type { StoredEpisode } from '../stored/shapes.ts';

/** What identifies an item; `digest` covers its content. */
interface MarkedItem {
  readonly uuid: string;
  readonly groupId: string;
  readonly digest: string;
}

/**
 * Computes the mark of an item that this user's roux accepted. Only marked items are processed automatically, so that neither items of a
 * cloned folder nor text edited into another note reach an extractor. Completed items lose their mark, so that they cannot be queued again.
 */
export function markOf({ secret }: Pick<Ports, 'secret'>, { uuid, groupId, digest }: MarkedItem): string {
  return createHmac('sha256', secret())
    .update(JSON.stringify(['ingest of', groupId, uuid, digest]))
    .digest('hex')
    .slice(0, 32);
}

/** Returns whether an item is open and was accepted by this user's roux. */
export function isAcceptedHere(ports: Pick<Ports, 'secret'>, { uuid, groupId, digest, ingest }: StoredEpisode): boolean {
  if (digest === null || ingest === null || ingest.mark === null) return false;
  const [given, wanted] = [Buffer.from(ingest.mark), Buffer.from(markOf(ports, { uuid, groupId, digest }))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Returns whether an item is open but was not accepted, as it is now, by this user's roux. It is not processed until it is retried. */
export function isForeign(ports: Pick<Ports, 'secret'>, episode: StoredEpisode): boolean {
  return episode.ingest !== null && !isSettled(episode.ingest) && !isAcceptedHere(ports, episode);
}
