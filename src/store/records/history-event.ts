import { createHash } from 'node:crypto';
import { isRecord } from '../../is-record.ts';
import { isVaultPath } from '../../note/path.ts';

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
  /** Whether the line was not written in this folder by this user: it came through git or a sync folder, or was planted. What it says is shown as that. */
  readonly foreign?: true;
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

/** Names an event among all lines of a history, whatever number it has: a line that was not written here may repeat that of another. */
export function eventName({ seq, timestamp, node, path, agent, action, batch, changes }: HistoryEvent): string {
  const text = JSON.stringify([timestamp, node, path, agent, action, batch, changes]);
  return `${seq}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** The part of a content hash that events carry. */
export function shortHash(hash: string): string {
  return hash.slice(0, 16);
}

/**
 * Tells whether a value read from a history is an event that roux may have written. Readers believe its shape, so that whatever could end
 * one is refused here: the line is then none, and "roux fsck" names it. What an event says may be untrue all the same (`foreign`).
 */
export function isHistoryEvent(value: unknown): value is HistoryEvent {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value['seq']) &&
    Number(value['seq']) >= 0 &&
    isInstant(value['timestamp']) &&
    typeof value['node'] === 'string' &&
    typeof value['path'] === 'string' &&
    isVaultPath(value['path']) &&
    typeof value['agent'] === 'string' &&
    typeof value['action'] === 'string' &&
    WORD.test(value['action']) &&
    (value['batch'] === undefined || (typeof value['batch'] === 'string' && BATCH_ID.test(value['batch']))) &&
    (value['hash'] === undefined || (typeof value['hash'] === 'string' && SHORT_HASH.test(value['hash']))) &&
    Array.isArray(value['changes']) &&
    value['changes'].every(isFieldChange)
  );
}

/** Later versions may have further actions. */
const WORD = /^[a-z][a-z_-]{0,39}$/;
const BATCH_ID = /^[0-9a-z]{26}$/;
const SHORT_HASH = /^[0-9a-f]{16}$/;
/** Frontmatter is nested by a few levels; what shows values goes into each. */
const MAX_DEPTH = 500;

/** The one form in which times are written: nothing else is compared as text, or counted as a time of another zone or calendar. */
function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}

function isFieldChange(change: unknown): change is FieldChange {
  return (
    isRecord(change) &&
    typeof change['field'] === 'string' &&
    'before' in change &&
    'after' in change &&
    isShallow(change['before'], MAX_DEPTH) &&
    isShallow(change['after'], MAX_DEPTH)
  );
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1));
}
