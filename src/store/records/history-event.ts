import { createHash } from 'node:crypto';
import { isRecord } from '../../is-record.ts';
import { isVaultPath } from '../../note/path.ts';

/** A JSON value. */
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

/** A change to one file, as described by the caller. */
export interface EventDraft {
  /** The note's id at that time. */
  readonly node: string;
  readonly path: string;
  readonly action: HistoryAction;
  readonly changes: readonly FieldChange[];
  /** First 16 digits of the file's sha-256 before an edit from outside; absent for roux's own writes, whose batch has the bytes. */
  readonly was?: string;
}

/** One line of the audit trail. */
export interface HistoryEvent extends EventDraft {
  readonly seq: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly agent: string;
  /** Shared by the events of one transaction. */
  readonly batch?: string;
  /**
   * First 16 digits of the file's sha-256 after the event; absent when the file was deleted. Distinguishes roux's writes from edits from
   * outside.
   */
  readonly hash?: string;
  /** The line was not written in this folder by this user: it came through git or a sync folder, or was planted. Shown as such. */
  readonly foreign?: true;
}

/** Properties that all events of one write share, and the sequence number of the first. */
export interface EventFrame {
  readonly firstSeq: number;
  readonly timestamp: string;
  readonly agent: string;
  readonly batch?: string;
}

/** Open-ended, since later versions may add actions. */
const WORD = /^[a-z][a-z_-]{0,39}$/;
const BATCH_ID = /^[0-9a-z]{26}$/;
const SHORT_HASH = /^[0-9a-f]{16}$/;

/** Builds history events from drafts. `hashOf` returns the full content hash of the file after the event; null when it was deleted. */
export function toEvents(
  drafts: readonly EventDraft[],
  { firstSeq, timestamp, agent, batch }: EventFrame,
  hashOf: (draft: EventDraft, index: number) => string | null,
): readonly HistoryEvent[] {
  return drafts.map((draft, index): HistoryEvent => {
    const { node, path, action, changes, was } = draft;
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
      ...(was === undefined ? {} : { was }),
    };
  });
}

/** Returns a name that identifies an event among all lines. The sequence number alone is not enough: a foreign line may repeat it. */
export function eventName({ seq, timestamp, node, path, agent, action, batch, changes }: HistoryEvent): string {
  const text = JSON.stringify([timestamp, node, path, agent, action, batch, changes]);
  return `${seq}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** Returns the part of a content hash that events store. */
export function shortHash(hash: string): string {
  return hash.slice(0, 16);
}

/**
 * Checks whether a value read from a history has the shape of an event. Readers rely on the shape, so a line that could crash one is
 * refused here and reported by "roux fsck". The content may still be untrue (see `foreign`).
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
    [value['hash'], value['was']].every((hash) => hash === undefined || (typeof hash === 'string' && SHORT_HASH.test(hash))) &&
    Array.isArray(value['changes']) &&
    value['changes'].every(isFieldChange)
  );
}

/** Limits nesting, because rendering recurses into values. Frontmatter has a few levels. */
const MAX_DEPTH = 500;

/** Accepts only the form that roux writes, so that times can be compared as text. */
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
