import { RouxError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import type { HistoryEvent } from '../../../vault/plan/plan.ts';
import type { OperationContext } from '../../operation.ts';
import { readFacts } from '../stored/entity-note.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';

/** A fact that was deleted from the note of an entity. */
export interface DeletedFact {
  readonly fact: StoredFact;
  /** When the history recorded the deletion, and its author: `external` for a hand edit, null if a foreign line of the history says so. */
  readonly at: string;
  readonly by: string | null;
}

/** The newest events of a note that are searched, and texts that are looked up outside the history. */
const MAX_EVENTS = 500;
const MAX_LOOKUPS = 20;

/** An event that changed the text. */
interface Change {
  readonly at: string;
  readonly by: string | null;
  /** The text before and after the change; null if it is not known. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Finds facts that were deleted from the note of an entity, by a tool or in an editor, by comparing the texts in its history. Long texts
 * that were edited outside of roux are known only as far as writes retained them.
 */
export async function findDeletedFacts(context: OperationContext, entity: StoredEntity): Promise<readonly DeletedFact[]> {
  const changes = await changesOf(context, entity);
  const read = (text: string, at: string): ReadonlyMap<string, StoredFact> =>
    new Map(readFacts(text, { entity: entity.uuid, name: entity.name, modified: at }).facts.map((fact) => [fact.uuid, fact]));
  const deleted = new Map<string, DeletedFact>();
  let present: ReadonlyMap<string, StoredFact> = new Map();
  /** The first change after the last known text. */
  let since: Change | null = null;
  const compare = (facts: ReadonlyMap<string, StoredFact>, by: Pick<Change, 'at' | 'by'>): void => {
    for (const [uuid, fact] of present) if (!facts.has(uuid)) deleted.set(uuid, { fact, at: by.at, by: by.by });
    for (const uuid of facts.keys()) deleted.delete(uuid);
    present = facts;
    since = null;
  };
  for (const change of changes) {
    if (change.before !== null) compare(read(change.before, change.at), since ?? change);
    since ??= change;
    if (change.after !== null) compare(read(change.after, change.at), since);
  }
  const last = changes.at(-1);
  if (last !== undefined) compare(new Map(entity.facts.map((fact) => [fact.uuid, fact])), since ?? { at: last.at, by: 'external' });
  return [...deleted.values()];
}

/** Returns the changes of a note's text, oldest first. */
async function changesOf({ vault }: OperationContext, { path }: StoredEntity): Promise<readonly Change[]> {
  const { events } = await vault.history.ofNote({ node: path, limit: MAX_EVENTS });
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

/** Returns a short text as the history stores it; empty if the note was created or deleted, null if the history has no text. */
function textIn({ changes }: HistoryEvent, side: 'before' | 'after'): string | null {
  const body = changes.find(({ field }) => field === 'body')?.[side];
  if (body === null) return '';
  return isRecord(body) && typeof body['text'] === 'string' ? body['text'] : null;
}

async function textAsOf({ vault }: Pick<OperationContext, 'vault'>, path: string, at: string): Promise<string | null> {
  try {
    const { onDisk } = await vault.history.asOf({ node: path, isPath: true, at });
    return onDisk.note.text;
  } catch (error) {
    if (error instanceof RouxError) return null;
    throw error;
  }
}
