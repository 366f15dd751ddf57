import { errorMessage, RouxError } from '../../../errors.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { Extraction } from '../../../extraction/extraction.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { Ports } from '../../../ports.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { IngestState, StoredEpisode } from '../stored/shapes.ts';
import type { ExtractedEpisode } from './draft-files.ts';
import type { KnowledgeDraft } from './draft.ts';

/** A stage that may fail. */
export type Stage = 'extract' | 'embed' | 'upsert';

/** A valid extraction, or the reason why there is none. */
export type Outcome = { readonly extraction: Extraction } | { readonly failure: Failure };

/** Bounds of the delay before a failed stage is retried. */
const MIN_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 60_000;
/** Longest delay if the endpoint asks for a longer one. */
export const MAX_RETRY_AFTER_MS = 60 * MAX_RETRY_DELAY_MS;

/** Why a stage failed, and whether a retry may help. */
export interface Failure {
  readonly stage: Stage;
  readonly code: string;
  readonly message: string;
  readonly isRetryable: boolean;
  /** Whether the endpoint could not be reached or did not answer, which says nothing about the item. */
  readonly isAway: boolean;
  /** The delay that the endpoint asked for; null if it named none. */
  readonly retryAfterMs: number | null;
}

/** Converts anything thrown to the failure of a stage. */
export function toFailure(error: unknown, stage: Stage): Failure {
  const details = error instanceof RouxError ? error.details : undefined;
  const retryAfter = details?.['retry_after_ms'];
  const isRetryable = details?.['retryable'] === true || (error instanceof RouxError && error.retryable);
  return {
    stage,
    code: error instanceof RouxError ? error.code : 'PROVIDER_ERROR',
    message: errorMessage(error).slice(0, 500),
    isRetryable,
    isAway:
      isRetryable &&
      error instanceof RouxError &&
      (error.code === 'PROVIDER_ERROR' || error.code === 'CANCELLED') &&
      details?.['invalid_answer'] !== true,
    retryAfterMs: typeof retryAfter === 'number' && Number.isFinite(retryAfter) ? Math.max(0, retryAfter) : null,
  };
}

/** Failed writes that say nothing about the items to be written. */
const VAULT_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'LOCK_TIMEOUT',
  'NO_SPACE',
  'IO_ERROR',
  'UNKNOWN_OUTCOME',
  'READ_ONLY',
  'VAULT_SHRUNK',
  'VAULT_NOT_FOUND',
  'CANCELLED',
]);

/** Returns whether a write failed because of the vault, and not because of an item. */
export function isVaultFailure(error: unknown): boolean {
  return error instanceof RouxError && VAULT_FAILURES.has(error.code);
}

/** Adds the extraction of an item to a draft. Returns the failure if it is not valid; the draft is unchanged then. */
export function applyOutcome(draft: KnowledgeDraft, episode: ExtractedEpisode, outcome: Outcome): Failure | null {
  if ('failure' in outcome) return outcome.failure;
  try {
    draft.putExtraction(outcome.extraction, episode);
    return null;
  } catch (error) {
    return toFailure(error, 'upsert');
  }
}

/** Returns the delay before a retry in milliseconds: exponential, bounded, and with jitter (S3-32). */
export function retryDelayMs(attempt: number, random: () => number): number {
  const longest = Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** (attempt - 1));
  return longest * (0.5 + random() / 2);
}

/** Keys of an item that are present only while a stage runs or has failed. */
export const TRANSIENT_KEYS = ['attempts', 'error_code', 'error', 'retry_at', 'claimed_until', 'claimed_by'] as const;

/** Plans the transition of an item to the next state. */
export function advanceItem({ path }: StoredEpisode, state: IngestState, at: string): FileChange {
  return changeIngest(path, at, [
    { op: 'set', key: ['ingest', 'state'], value: state },
    ...(state === 'completed' ? [{ op: 'unset', key: ['ingest', 'mark'] } as const] : []),
    ...TRANSIENT_KEYS.map((key): NoteChange => ({ op: 'unset', key: ['ingest', key] })),
  ]);
}

/** Plans the state of an item after a failed stage: retried later, or parked with all its content (S3-23). */
export function failItem(
  { path, ingest }: StoredEpisode,
  { stage, code, message, isRetryable, retryAfterMs }: Failure,
  { at, attempts: maxAttempts, random }: { readonly at: string; readonly attempts: number; readonly random: Ports['random'] },
): { readonly file: FileChange; readonly isParked: boolean } {
  const attempts = (ingest?.attempts ?? 0) + 1;
  const isParked = !isRetryable || attempts >= maxAttempts;
  const delay = Math.max(retryDelayMs(attempts, random), Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
  const file = changeIngest(path, at, [
    { op: 'set', key: ['ingest', 'state'], value: isParked ? 'parked' : `${stage}_failed` },
    { op: 'set', key: ['ingest', 'attempts'], value: attempts },
    { op: 'set', key: ['ingest', 'error_code'], value: code },
    { op: 'set', key: ['ingest', 'error'], value: message },
    { op: 'unset', key: ['ingest', 'claimed_until'] },
    { op: 'unset', key: ['ingest', 'claimed_by'] },
    isParked
      ? { op: 'unset', key: ['ingest', 'retry_at'] }
      : { op: 'set', key: ['ingest', 'retry_at'], value: new Date(Date.parse(at) + delay).toISOString() },
  ]);
  return { file, isParked };
}

/** The error code of an item that waits for an endpoint. */
export const AWAY = 'UNAVAILABLE';

/** Plans the state of an item whose endpoint is away: it keeps its attempts and waits. `untilMs`: milliseconds since 1970. */
export function postponeItem(
  { path }: StoredEpisode,
  { message, at, untilMs }: { message: string; at: string; untilMs: number },
): FileChange {
  return changeIngest(path, at, [
    { op: 'set', key: ['ingest', 'state'], value: 'extract_failed' },
    { op: 'set', key: ['ingest', 'error_code'], value: AWAY },
    { op: 'set', key: ['ingest', 'error'], value: message },
    { op: 'unset', key: ['ingest', 'claimed_until'] },
    { op: 'unset', key: ['ingest', 'claimed_by'] },
    { op: 'set', key: ['ingest', 'retry_at'], value: new Date(untilMs).toISOString() },
  ]);
}

/** Plans a change of the ingestion state in an episode's note. */
export function changeIngest(path: StoredEpisode['path'], at: string, changes: readonly NoteChange[]): FileChange {
  return { kind: 'change', path, changes: [...changes, { op: 'touch', at }] };
}
