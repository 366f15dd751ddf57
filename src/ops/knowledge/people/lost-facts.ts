import { RouxError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import type { HistoryEvent } from '../../../vault/plan/plan.ts';
import type { OperationContext } from '../../operation.ts';
import { readFacts } from '../stored/entity-note.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';

/** A fact that stood in the note of an entity, and does no more. */
export interface LostFact {
  readonly fact: StoredFact;
  /** When the history saw it gone, and who wrote then; a hand edit is `external`. Null: a line that was not written here says so. */
  readonly at: string;
  readonly by: string | null;
}

/** So many of the newest changes of a note are looked at, and so many texts that the history does not hold itself are looked up. */
const MAX_EVENTS = 500;
const MAX_LOOKUPS = 20;

/** Who took what away, in the order of the history. */
interface Change {
  readonly at: string;
  readonly by: string | null;
  /** The text that the change began with and the one that it left; null where that is not known. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Facts that somebody deleted from the note of an entity, by a tool or in an editor: the line is gone, and the history tells when it
 * went. What was long and edited outside is known as far as writes kept it.
 */
export async function lostFacts(context: OperationContext, entity: StoredEntity): Promise<readonly LostFact[]> {
  const changes = await changesOf(context, entity);
  const read = (text: string, at: string): ReadonlyMap<string, StoredFact> =>
    new Map(readFacts(text, { entity: entity.uuid, name: entity.name, modified: at }).facts.map((fact) => [fact.uuid, fact]));
  const lost = new Map<string, LostFact>();
  let there: ReadonlyMap<string, StoredFact> = new Map();
  /** The first change since the last text that is known. */
  let since: Change | null = null;
  const see = (facts: ReadonlyMap<string, StoredFact>, by: Pick<Change, 'at' | 'by'>): void => {
    for (const [uuid, fact] of there) if (!facts.has(uuid)) lost.set(uuid, { fact, at: by.at, by: by.by });
    for (const uuid of facts.keys()) lost.delete(uuid);
    there = facts;
    since = null;
  };
  for (const change of changes) {
    if (change.before !== null) see(read(change.before, change.at), since ?? change);
    since ??= change;
    if (change.after !== null) see(read(change.after, change.at), since);
  }
  const last = changes.at(-1);
  if (last !== undefined) see(new Map(entity.facts.map((fact) => [fact.uuid, fact])), since ?? { at: last.at, by: 'external' });
  return [...lost.values()];
}

/** The changes of the text of a note, the oldest first. */
async function changesOf({ vault }: OperationContext, { path }: StoredEntity): Promise<readonly Change[]> {
  const { events } = await vault.history({ node: path, limit: MAX_EVENTS });
  const ofText = events.filter(({ changes }) => changes.some(({ field }) => field === 'body' || field === 'file')).reverse();
  let lookups = 0;
  const changes: Change[] = [];
  for (const event of ofText) {
    const { timestamp: at } = event;
    const by = event.foreign === true ? null : event.agent;
    const before = textIn(event, 'before');
    let after = textIn(event, 'after');
    if (after === null && lookups < MAX_LOOKUPS) {
      lookups += 1;
      after = await textAsOf({ vault }, path, at);
    }
    changes.push({ at, by, before, after });
  }
  return changes;
}

/** A short text as the history holds it; of a note that begins or ends, none. */
function textIn({ changes }: HistoryEvent, side: 'before' | 'after'): string | null {
  const body = changes.find(({ field }) => field === 'body')?.[side];
  if (body === null) return '';
  return isRecord(body) && typeof body['text'] === 'string' ? body['text'] : null;
}

async function textAsOf({ vault }: Pick<OperationContext, 'vault'>, path: string, at: string): Promise<string | null> {
  try {
    const { onDisk } = await vault.asOf({ node: path, isPath: true, at });
    return onDisk.note.text;
  } catch (error) {
    if (error instanceof RouxError) return null;
    throw error;
  }
}
