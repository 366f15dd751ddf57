import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ports } from '../../../ports.ts';
import { isSettled } from '../stored/shapes.ts';
import type { StoredEpisode } from '../stored/shapes.ts';

/** What an item is told by. */
interface Marked {
  readonly uuid: string;
  readonly groupId: string;
  readonly hash: string;
}

/** What shows that this user's roux accepted an item: only such items are worked on by themselves, and not what came with the folder. */
export function markOf({ secret }: Pick<Ports, 'secret'>, { uuid, groupId, hash }: Marked): string {
  return createHmac('sha256', secret())
    .update(JSON.stringify(['ingest', groupId, uuid, hash]))
    .digest('hex')
    .slice(0, 32);
}

export function isOurs(ports: Pick<Ports, 'secret'>, item: Marked, mark: string | null): boolean {
  if (mark === null) return false;
  const [given, wanted] = [Buffer.from(mark), Buffer.from(markOf(ports, item))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Whether an item waits that this user's roux did not accept: it came with the folder, and nothing is done with it until somebody retries it. */
export function isForeign(ports: Pick<Ports, 'secret'>, { uuid, groupId, ingest }: StoredEpisode): boolean {
  return ingest !== null && !isSettled(ingest) && !isOurs(ports, { uuid, groupId, hash: ingest.hash }, ingest.mark);
}
