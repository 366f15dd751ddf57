import type { CheckoutFiles } from '../../git/checkout-files.ts';
import { EVERYTHING } from '../../git/commits.ts';
import type { GitCommit } from '../../git/commits.ts';
import { ComparedTexts, followRenames, pairRenames } from '../../git/renames.ts';
import { MAX_CHANGES } from '../../git/trees.ts';
import type { TreeChange, TreeScope } from '../../git/trees.ts';
import { folderOf } from '../../note/path.ts';
import type { CodeHistory } from './code.ts';

/** What happened to a file since a commit. */
export interface CodeChange {
  /** From the top of the repository. */
  readonly path: string;
  readonly kind: 'changed' | 'added' | 'removed' | 'renamed';
  /** Its earlier path, if it was renamed. */
  readonly from?: string;
  /** Nothing of the change is committed yet. */
  readonly isUncommitted?: true;
}

/** A file that differs from `HEAD`; null where there is none. */
interface Uncommitted {
  readonly head: string | null;
  readonly now: string | null;
}

/** Files whose blob in `HEAD` is read to see whether it stands in for another. */
const MAX_READ = 200;
/** Removed files that are followed through each commit. */
const MAX_FOLLOWED = 50;

/** Compares earlier commits with the checkout as it is now. */
export class CodeChanges {
  readonly #history: CodeHistory;
  readonly #texts: ComparedTexts;
  readonly #uncommitted: ReadonlyMap<string, Uncommitted>;

  private constructor(history: CodeHistory, uncommitted: ReadonlyMap<string, Uncommitted>) {
    this.#history = history;
    this.#texts = new ComparedTexts(history.commits);
    this.#uncommitted = uncommitted;
  }

  /** Looks for what is not committed. `scope`: the files of interest. */
  static async open(history: CodeHistory, files: CheckoutFiles, scope: TreeScope): Promise<CodeChanges> {
    return new CodeChanges(history, await findUncommitted(history, files, scope));
  }

  /**
   * Returns what happened to the files of interest since a commit. A file that was renamed, with the same content or most of it, counts as
   * `renamed` under its new path, whichever of the two paths is of interest.
   */
  async since(base: GitCommit, scope: TreeScope): Promise<readonly CodeChange[]> {
    const { commits, head } = this.#history;
    const committed = await commits.compare(base.tree, head.tree, scope);
    const changes = this.#combine(committed, scope);
    if (!changes.some(({ kind }) => kind === 'removed' || kind === 'added')) return changes;
    const all = committed.length < MAX_CHANGES ? await commits.compare(base.tree, head.tree, EVERYTHING) : committed;
    const ofInterest = new Set(changes.map(({ path }) => path));
    const pairs = await pairRenames(this.#texts, this.#asTreeChanges(all), (path) => ofInterest.has(path));
    const removed = changes.filter(({ path, kind }) => kind === 'removed' && !pairs.has(path)).map(({ path }) => path);
    const followed = removed.length === 0 ? new Map() : await followRenames(commits, head, removed.slice(0, MAX_FOLLOWED), this.#texts);
    return applyRenames(changes, pairs, followed);
  }

  #combine(committed: readonly TreeChange[], scope: TreeScope): readonly CodeChange[] {
    const found = new Map<string, CodeChange>();
    const add = (path: string, before: string | null, now: string | null, isUncommitted: boolean): void => {
      if (before === now) return void found.delete(path);
      const kind = before === null ? 'added' : now === null ? 'removed' : 'changed';
      found.set(path, { path, kind, ...(isUncommitted ? { isUncommitted: true } : {}) });
    };
    const before = new Map(committed.map((change) => [change.path, change.before?.id ?? null]));
    for (const { path, before: was, after } of committed) add(path, was?.id ?? null, after?.id ?? null, false);
    for (const [path, { head, now }] of this.#uncommitted)
      if (scope.matches(path)) add(path, before.has(path) ? (before.get(path) ?? null) : head, now, !before.has(path));
    return [...found.values()];
  }

  /** Returns the differences with those that are not committed. */
  #asTreeChanges(committed: readonly TreeChange[]): readonly TreeChange[] {
    const all = new Map(committed.map((change) => [change.path, change]));
    const entry = (id: string | null): TreeChange['after'] => (id === null ? null : { mode: '100644', id });
    for (const [path, { head, now }] of this.#uncommitted) {
      const known = all.get(path);
      all.set(path, { path, before: known === undefined ? entry(head) : known.before, after: entry(now) });
    }
    return [...all.values()];
  }
}

/** Replaces what looks removed and added by what was renamed. */
function applyRenames(
  changes: readonly CodeChange[],
  pairs: ReadonlyMap<string, string>,
  followed: ReadonlyMap<string, { readonly path: string }>,
): readonly CodeChange[] {
  const found = new Map(changes.map((change) => [change.path, change]));
  for (const [from, to] of pairs) {
    const [removed, added] = [found.get(from), found.get(to)];
    if (removed?.kind !== 'removed' && added?.kind !== 'added') continue;
    if (removed?.kind === 'removed') found.delete(from);
    const isUncommitted = removed?.isUncommitted === true || added?.isUncommitted === true;
    found.set(to, { path: to, kind: 'renamed', from, ...(isUncommitted ? { isUncommitted: true } : {}) });
  }
  // Renamed in one commit and rewritten in others.
  for (const [from, { path }] of followed) {
    found.delete(from);
    found.set(path, { path, kind: 'changed', from });
  }
  return [...found.values()];
}

async function findUncommitted(
  { commits, head }: CodeHistory,
  files: CheckoutFiles,
  scope: TreeScope,
): Promise<ReadonlyMap<string, Uncommitted>> {
  const wholeFolders = { mayMatch: (folder: string) => scope.mayMatch(folder), matches: () => true };
  const committed = new Map((await commits.compare(null, head.tree, wholeFolders)).map(({ path, after }) => [path, after?.id ?? null]));
  const found = new Map<string, Uncommitted>();
  const folders = new Map<string, boolean>();
  const isOfInterest = (path: string): boolean => {
    const folder = folderOf(path);
    const known = folders.get(folder) ?? scope.mayMatch(folder);
    folders.set(folder, known);
    return known;
  };
  let left = MAX_READ;
  for (const path of new Set([...files.paths.filter(isOfInterest), ...committed.keys()])) {
    const [was, now] = [committed.get(path) ?? null, files.idOf(path)];
    if (now === undefined || now === was) continue;
    if (was !== null && now !== null && (left -= 1) >= 0 && isStandIn(await commits.bytes(was))) continue;
    found.set(path, { head: was, now });
  }
  // What is removed may have been renamed to a place that nobody asked for.
  if ([...found.values()].some(({ now }) => now === null)) {
    const inHead = new Set((await commits.compare(null, head.tree, EVERYTHING)).map(({ path }) => path));
    for (const path of files.paths) {
      const now = inHead.has(path) || found.has(path) ? null : files.idOf(path);
      if (typeof now === 'string') found.set(path, { head: null, now });
    }
  }
  return found;
}

/** Whether a program of the user puts another content in the place of this one when it is checked out. */
function isStandIn(bytes: Buffer | null): boolean {
  const start = bytes?.toString('latin1', 0, 40) ?? '';
  return start.startsWith('version https://git-lfs') || start.startsWith('\0GITCRYPT');
}
