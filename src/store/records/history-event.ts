import { isRecord } from '../../is-record.ts';

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Actions of the audit trail (docs/format.md, History). */
export type HistoryAction =
  | 'created'
  | 'updated'
  | 'resolved'
  | 'reopened'
  | 'moved'
  | 'renamed'
  | 'merged'
  | 'dropped'
  | 'deleted'
  | 'restored'
  | 'connected'
  | 'disconnected'
  | 'external';

/** One field of a file, before and after. */
export interface FieldChange {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
}

/** What happened to one file, as whoever asked for it tells it. */
export interface EventDraft {
  /** The note's id at that time. */
  readonly node: string;
  readonly path: string;
  readonly action: HistoryAction;
  readonly changes: readonly FieldChange[];
}

/** One line of the audit trail. */
export interface HistoryEvent extends EventDraft {
  readonly seq: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly agent: string;
  /** Shared by the events of one transaction. */
  readonly batch?: string;
  /** First digits of the file's sha-256 after the event; absent when it is gone. Tells roux's writes from edits from outside. */
  readonly hash?: string;
}

/** What is the same in all events of one write: who made it and when, the transaction if it is one, and the number that the first event gets. */
export interface EventFrame {
  readonly firstSeq: number;
  readonly timestamp: string;
  readonly agent: string;
  readonly batch?: string;
}

/** Events as the history keeps them. `hashOf`: the content hash of what the file at this place holds after it; null when it is gone. */
export function toEvents(
  drafts: readonly EventDraft[],
  { firstSeq, timestamp, agent, batch }: EventFrame,
  hashOf: (draft: EventDraft, index: number) => string | null,
): readonly HistoryEvent[] {
  return drafts.map((draft, index): HistoryEvent => {
    const { node, path, action, changes } = draft;
    const hash = hashOf(draft, index);
    return {
      seq: firstSeq + index,
      timestamp,
      node,
      path,
      agent,
      action,
      changes,
      ...(batch === undefined ? {} : { batch }),
      ...(hash === null ? {} : { hash: shortHash(hash) }),
    };
  });
}

/** The part of a content hash that events carry. */
export function shortHash(hash: string): string {
  return hash.slice(0, 16);
}

/** Whether a value read from a history is an event. */
export function isHistoryEvent(value: unknown): value is HistoryEvent {
  return (
    isRecord(value) &&
    typeof value['seq'] === 'number' &&
    typeof value['timestamp'] === 'string' &&
    typeof value['node'] === 'string' &&
    typeof value['path'] === 'string' &&
    typeof value['agent'] === 'string' &&
    typeof value['action'] === 'string' &&
    (value['batch'] === undefined || typeof value['batch'] === 'string') &&
    (value['hash'] === undefined || typeof value['hash'] === 'string') &&
    Array.isArray(value['changes']) &&
    value['changes'].every((change) => isRecord(change) && typeof change['field'] === 'string')
  );
}
