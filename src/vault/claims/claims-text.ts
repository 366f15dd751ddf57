import type { Claim } from '../../graph/tasks/task-note.ts';
import { isRecord } from '../../is-record.ts';

/** A change of who holds a task. */
export interface ClaimChange {
  /** The id of the task. */
  readonly task: string;
  readonly before: Claim | null;
  readonly after: Claim | null;
  /** Why it was released, if its holder did not do it. */
  readonly released?: string;
}

/** A change as it was recorded. */
export interface ClaimEvent extends ClaimChange {
  /** ISO 8601. */
  readonly at: string;
  readonly agent: string;
}

/** In which worktree a task was resolved. The note there says whether it still is. */
export interface Resolution {
  /** The worktree by its name in git's folder; `''` for the main one. */
  readonly tree: string;
  /** Path of the note in the vault. */
  readonly path: string;
  /** When, in milliseconds since 1970 UTC; its note may be written a little later. */
  readonly atMs?: number;
}

/** What the file of claims holds, by the paths of vaults in a worktree. */
export interface ClaimsContent {
  readonly claims: Readonly<Record<string, Readonly<Record<string, Claim>>>>;
  readonly events: readonly (ClaimEvent & { readonly vault: string })[];
  readonly resolved: Readonly<Record<string, Readonly<Record<string, Resolution>>>>;
}

export const NO_CLAIMS: ClaimsContent = { claims: {}, events: [], resolved: {} };

/** Parses the file; what no version of roux wrote counts as nothing. */
export function parseClaims(text: string): ClaimsContent {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !isRecord(value['claims']) || !Array.isArray(value['events'])) return NO_CLAIMS;
    const events = (value['events'] as readonly unknown[]).filter(isEvent);
    return { claims: byVault(value['claims'], isClaim), events, resolved: byVault(value['resolved'], isResolution) };
  } catch {
    return NO_CLAIMS;
  }
}

/** Takes what is valid of the maps of the vaults. */
function byVault<T>(maps: unknown, isValid: (value: unknown) => value is T): Readonly<Record<string, Readonly<Record<string, T>>>> {
  const taken = Object.entries(isRecord(maps) ? maps : {}).map(([vault, each]) => [
    vault,
    Object.fromEntries(Object.entries(isRecord(each) ? each : {}).filter((entry): entry is [string, T] => isValid(entry[1]))),
  ]);
  return Object.fromEntries(taken) as Record<string, Record<string, T>>;
}

function isResolution(value: unknown): value is Resolution {
  if (!isRecord(value)) return false;
  return ['tree', 'path'].every((key) => typeof value[key] === 'string') && ['undefined', 'number'].includes(typeof value['atMs']);
}

function isClaim(value: unknown): value is Claim {
  if (!isRecord(value)) return false;
  const { by, atMs, session } = value;
  return (
    typeof by === 'string' &&
    by !== '' &&
    typeof atMs === 'number' &&
    Number.isFinite(new Date(atMs).getTime()) &&
    (session === null || typeof session === 'string')
  );
}

function isEvent(value: unknown): value is ClaimEvent & { readonly vault: string } {
  if (!isRecord(value)) return false;
  const { before, after, released } = value;
  const areClaims = [before, after].every((each) => each === null || isClaim(each));
  return (
    areClaims &&
    ['task', 'at', 'agent', 'vault'].every((key) => typeof value[key] === 'string') &&
    ['undefined', 'string'].includes(typeof released)
  );
}
