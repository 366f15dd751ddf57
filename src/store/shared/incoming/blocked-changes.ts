import type { SharedChange } from '../shared-vault.ts';
import type { Edit } from '../../pair-moves.ts';
import type { Applied } from './apply-changes.ts';
import { groupRelatedChanges, matchRelatedPaths } from './blocked-change.ts';
import type { BlockedChange } from './blocked-change.ts';

/** What of the store could not be put in place in this folder, and when that is tried again. */
export interface BlockedChanges {
  readonly changes: readonly BlockedChange[];
  /** Whether a path has to do with a name of theirs: neither edits nor writes of tools go out under it. */
  readonly isBlocked: (path: string) => boolean;
  /** Of changes those that are not tried: what has to do with them; on another try (`isRetry`) all but the first few of that. */
  selectBlocked(changes: readonly SharedChange[], how: { readonly isRetry: boolean }): readonly SharedChange[];
  /** Of what was edited here, what may go out: a file that went under a name of theirs and came under another one is a file of its own. */
  withoutBlocked(edits: readonly Edit[]): readonly Edit[];
  /** Why a path cannot be written. */
  reasonFor(path: string): string;
  /** What people are told as long as there are any; null: nothing. */
  readonly message: string | null;
  /** Another set of them. `left`: those that were tried just now. */
  set(changes: readonly SharedChange[] | readonly BlockedChange[], left?: Applied['blocked']): void;
  /** Somebody touched something under this name, or anywhere (null): what was in the way may be gone. */
  retrySoon(path: string | null): void;
  /** Whether it is time to try them. */
  readonly isRetryDue: boolean;
}

/** In milliseconds: each failure doubles the pause, as each try costs a transaction that is undone. */
const FIRST_PAUSE_MS = 4_000;
const MAX_PAUSE_MS = 120_000;
/** So many are tried again at once; those that fail stand behind the others then. */
const MAX_RETRIED = 8;
const MAX_REPORTED = 3;

/** None at first. */
export function createBlockedChanges(): BlockedChanges {
  let changes: readonly BlockedChange[] = [];
  let has = matchRelatedPaths([]);
  let pause = FIRST_PAUSE_MS;
  let due = 0;
  const reasons = new Map<string, string>();

  const why = (path: string): string => reasons.get(path) ?? 'it could not be written here';

  return {
    get changes() {
      return changes;
    },
    isBlocked: (path) => changes.length > 0 && has(path),
    selectBlocked(all, { isRetry }) {
      if (changes.length === 0) return [];
      const stuck = groupRelatedChanges(all).filter((group) =>
        group.some(({ path, oldPath }) => has(path) || (oldPath !== null && has(oldPath))),
      );
      return (isRetry ? stuck.slice(MAX_RETRIED) : stuck).flat();
    },
    withoutBlocked(edits) {
      if (changes.length === 0) return edits;
      return edits.flatMap((edit) => {
        if (has(edit.path)) return [];
        return edit.former !== null && has(edit.former) ? [{ ...edit, former: null, before: null }] : [edit];
      });
    },
    reasonFor(path) {
      const near = changes.find((change) => matchRelatedPaths([change])(path));
      return near === undefined ? why(path) : why(near.path);
    },
    get message() {
      if (changes.length === 0) return null;
      const told = changes.slice(0, MAX_REPORTED).map(({ path }) => `${path} (${why(path).replace(/\.$/, '')})`);
      const more = changes.length > told.length ? ` and ${changes.length - told.length} more` : '';
      return `What the store has of these names is not in this folder, as it cannot be put there: ${told.join('; ')}${more}. It is tried again, and nothing that is made here under them is shared until then.`;
    },
    set(next, left = []) {
      for (const { change, why: reason } of left) reasons.set(change.path, reason.message);
      changes = next.map(({ op, path, oldPath, before, hash, size }) => ({ op, path, oldPath, before, hash, size }));
      has = matchRelatedPaths(changes);
      const names = new Set(changes.map(({ path }) => path));
      for (const path of reasons.keys()) if (!names.has(path)) reasons.delete(path);
      if (left.length === 0) return;
      due = performance.now() + pause;
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    },
    retrySoon(path) {
      if (changes.length === 0 || (path !== null && !has(path))) return;
      [due, pause] = [0, FIRST_PAUSE_MS];
      if (path === null) return;
      // What was in the way of these may be gone: they are among the first.
      const isNear = matchRelatedPaths([{ path, oldPath: null }]);
      const near = changes.filter((change) => isNear(change.path) || (change.oldPath !== null && isNear(change.oldPath)));
      changes = [...near, ...changes.filter((change) => !near.includes(change))];
    },
    get isRetryDue() {
      return changes.length > 0 && performance.now() >= due;
    },
  };
}
