import type { SharedChange } from '../shared-vault.ts';
import type { Edit } from '../../pair-moves.ts';
import type { Applied } from './apply-changes.ts';
import { groupRelatedChanges, matchRelatedPaths } from './blocked-change.ts';
import type { BlockedChange } from './blocked-change.ts';

/** The changes of the store that could not be written to this folder, and when they are tried again. */
export interface BlockedChanges {
  readonly changes: readonly BlockedChange[];
  /** Whether a path is that of a blocked change, or above or below it. Such paths are neither pushed nor written. */
  readonly isBlocked: (path: string) => boolean;
  /** Returns those changes that are not to be applied: the blocked ones, on a retry without the first few. */
  selectBlocked(changes: readonly SharedChange[], how: { readonly isRetry: boolean }): readonly SharedChange[];
  /** Returns the edits that may be pushed. A file moved away from a blocked path becomes a new file. */
  withoutBlocked(edits: readonly Edit[]): readonly Edit[];
  /** Returns why a path cannot be written. */
  reasonFor(path: string): string;
  /** The message for the user; null if nothing is blocked. */
  readonly message: string | null;
  /** Replaces the changes. `failed`: those that were tried just now. */
  set(changes: readonly SharedChange[] | readonly BlockedChange[], failed?: Applied['blocked']): void;
  /** Retries soon: something changed at this path, or anywhere (null), and the obstacle may be gone. */
  retrySoon(path: string | null): void;
  /** Whether it is time to try them again. */
  readonly isRetryDue: boolean;
}

/** Each failure doubles the pause, as each attempt costs a transaction that is undone. */
const FIRST_PAUSE_MS = 4_000;
const MAX_PAUSE_MS = 120_000;
/** Groups of changes in one retry; those that fail go to the end. */
const MAX_RETRIED = 8;
const MAX_REPORTED = 3;

/** Creates an empty set of blocked changes. */
export function createBlockedChanges(): BlockedChanges {
  let changes: readonly BlockedChange[] = [];
  let matches = matchRelatedPaths([]);
  let pause = FIRST_PAUSE_MS;
  let due = 0;
  const reasons = new Map<string, string>();

  const reasonOf = (path: string): string => reasons.get(path) ?? 'it could not be written here';

  return {
    get changes() {
      return changes;
    },
    isBlocked: (path) => changes.length > 0 && matches(path),
    selectBlocked(all, { isRetry }) {
      if (changes.length === 0) return [];
      const blocked = groupRelatedChanges(all).filter((group) =>
        group.some(({ path, oldPath }) => matches(path) || (oldPath !== null && matches(oldPath))),
      );
      return (isRetry ? blocked.slice(MAX_RETRIED) : blocked).flat();
    },
    withoutBlocked(edits) {
      if (changes.length === 0) return edits;
      return edits.flatMap((edit) => {
        if (matches(edit.path)) return [];
        return edit.former !== null && matches(edit.former) ? [{ ...edit, former: null, before: null }] : [edit];
      });
    },
    reasonFor(path) {
      const near = changes.find((change) => matchRelatedPaths([change])(path));
      return near === undefined ? reasonOf(path) : reasonOf(near.path);
    },
    get message() {
      if (changes.length === 0) return null;
      const reported = changes.slice(0, MAX_REPORTED).map(({ path }) => `${path} (${reasonOf(path).replace(/\.$/, '')})`);
      const more = changes.length > reported.length ? ` and ${changes.length - reported.length} more` : '';
      return `What the store has of these names is not in this folder, as it cannot be put there: ${reported.join('; ')}${more}. It is tried again, and nothing that is made here under them is shared until then.`;
    },
    set(next, failed = []) {
      for (const { change, why: reason } of failed) reasons.set(change.path, reason.message);
      changes = next.map(({ op, path, oldPath, before, hash, size }) => ({ op, path, oldPath, before, hash, size }));
      matches = matchRelatedPaths(changes);
      const names = new Set(changes.map(({ path }) => path));
      for (const path of reasons.keys()) if (!names.has(path)) reasons.delete(path);
      if (failed.length === 0) return;
      due = performance.now() + pause;
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    },
    retrySoon(path) {
      if (changes.length === 0 || (path !== null && !matches(path))) return;
      [due, pause] = [0, FIRST_PAUSE_MS];
      if (path === null) return;
      // Their obstacle may be gone, so they are tried first.
      const isNear = matchRelatedPaths([{ path, oldPath: null }]);
      const near = changes.filter((change) => isNear(change.path) || (change.oldPath !== null && isNear(change.oldPath)));
      changes = [...near, ...changes.filter((change) => !near.includes(change))];
    },
    get isRetryDue() {
      return changes.length > 0 && performance.now() >= due;
    },
  };
}
