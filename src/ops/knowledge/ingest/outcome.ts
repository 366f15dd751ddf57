import { errorMessage, RouxError } from '../../../errors.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { Extraction } from '../../../extraction/extraction.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { Ports } from '../../../ports.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { IngestState, StoredEpisode } from '../stored/shapes.ts';
import type { KnowledgeDraft } from './draft.ts';

/** The stages that may fail. */
export type Stage = 'extract' | 'embed' | 'upsert';

/** What is to be brought into the graph, or why that is not there. */
export type Outcome = { readonly extraction: Extraction } | { readonly failure: Failure };

/** How long is waited before a stage is tried again, at first and at most. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** Nor is longer waited for than this where the other side asks for more. */
export const MAX_ASKED_FOR_MS = 60 * MAX_PAUSE_MS;

/** Why a stage of an item failed, and whether trying again may help. */
export interface Failure {
  readonly stage: Stage;
  readonly code: string;
  readonly message: string;
  readonly isRetryable: boolean;
  /** What the other side asked for. */
  readonly pauseMs: number | null;
}

/** Anything thrown as the failure of a stage. */
export function toFailure(error: unknown, stage: Stage): Failure {
  const details = error instanceof RouxError ? error.details : undefined;
  const pause = details?.['retry_after_ms'];
  return {
    stage,
    code: error instanceof RouxError ? error.code : 'PROVIDER_ERROR',
    message: errorMessage(error).slice(0, 500),
    isRetryable: details?.['retryable'] === true || (error instanceof RouxError && error.retryable),
    pauseMs: typeof pause === 'number' && Number.isFinite(pause) ? Math.max(0, pause) : null,
  };
}

/** Failures of a write that say nothing about what was to be written. */
const OF_THE_VAULT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'LOCK_TIMEOUT',
  'NO_SPACE',
  'IO_ERROR',
  'UNKNOWN_OUTCOME',
  'READ_ONLY',
  'VAULT_SHRUNK',
  'VAULT_NOT_FOUND',
  'CANCELLED',
]);

export function isOfTheVault(error: unknown): boolean {
  return error instanceof RouxError && OF_THE_VAULT.has(error.code);
}

/** Brings what came of an item's extraction into a draft; why it cannot be, with nothing of it in the draft. */
export function bringIn(draft: KnowledgeDraft, episode: Parameters<KnowledgeDraft['putExtraction']>[1], outcome: Outcome): Failure | null {
  if ('failure' in outcome) return outcome.failure;
  try {
    draft.putExtraction(outcome.extraction, episode);
    return null;
  } catch (error) {
    return toFailure(error, 'upsert');
  }
}

/** Exponential, bounded, and never two at the same moment (S3-32). In milliseconds. */
export function pauseBefore(attempt: number, random: () => number): number {
  const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return longest * (0.5 + random() / 2);
}

/** What is said of an item only while a stage of it has failed or is under way. */
export const LEFT_BEHIND = ['attempts', 'error_code', 'error', 'retry_at', 'claimed_until', 'claimed_by'] as const;

/** An item that a stage is done with. */
export function advanced({ path }: StoredEpisode, state: IngestState, at: string): FileChange {
  return changeIngest(path, at, [
    { op: 'set', key: ['ingest', 'state'], value: state },
    ...(state === 'completed' ? [{ op: 'unset', key: ['ingest', 'mark'] } as const] : []),
    ...LEFT_BEHIND.map((key): NoteChange => ({ op: 'unset', key: ['ingest', key] })),
  ]);
}

/** An item that a stage failed for: to be tried again, or parked with all that it holds (S3-23). */
export function failed(
  { path, ingest }: StoredEpisode,
  { stage, code, message, isRetryable, pauseMs }: Failure,
  { at, attempts: most, random }: { readonly at: string; readonly attempts: number; readonly random: Ports['random'] },
): { readonly file: FileChange; readonly isParked: boolean } {
  const attempts = (ingest?.attempts ?? 0) + 1;
  const isParked = !isRetryable || attempts >= most;
  const pause = Math.max(pauseBefore(attempts, random), Math.min(pauseMs ?? 0, MAX_ASKED_FOR_MS));
  const file = changeIngest(path, at, [
    { op: 'set', key: ['ingest', 'state'], value: isParked ? 'parked' : `${stage}_failed` },
    { op: 'set', key: ['ingest', 'attempts'], value: attempts },
    { op: 'set', key: ['ingest', 'error_code'], value: code },
    { op: 'set', key: ['ingest', 'error'], value: message },
    { op: 'unset', key: ['ingest', 'claimed_until'] },
    { op: 'unset', key: ['ingest', 'claimed_by'] },
    isParked
      ? { op: 'unset', key: ['ingest', 'retry_at'] }
      : { op: 'set', key: ['ingest', 'retry_at'], value: new Date(Date.parse(at) + pause).toISOString() },
  ]);
  return { file, isParked };
}

/** A change of what an episode's note says of its item. */
export function changeIngest(path: StoredEpisode['path'], at: string, changes: readonly NoteChange[]): FileChange {
  return { kind: 'change', path, changes: [...changes, { op: 'touch', at }] };
}
