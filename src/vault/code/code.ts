import { isAbsolute, relative, resolve, sep } from 'node:path';
import { RouxError } from '../../errors.ts';
import type { CheckoutFiles } from '../../git/checkout-files.ts';
import { EVERYTHING, openCommits } from '../../git/commits.ts';
import type { GitCommit, GitCommits } from '../../git/commits.ts';
import { isSha256, readIndex, stampOfIndex } from '../../git/index-file.ts';
import type { GitIndex } from '../../git/index-file.ts';
import { hasReftable, isUnborn, readHead } from '../../git/references.ts';
import { findRepository } from '../../git/repository.ts';
import { findCheckout } from '../../git/worktrees.ts';
import type { Checkout } from '../../git/worktrees.ts';
import { runExclusively } from '../history/git/git-states.ts';

/** Where a vault is. */
export type CodePlace =
  | {
      readonly kind: 'repository';
      /** The vault's folder from the top of the repository; `''` for the top itself. */
      readonly folder: string;
    }
  /** In no repository: its own folder counts as the top. */
  | { readonly kind: 'folder'; readonly folder: '' }
  /** The repository is not read; why, as a clause. */
  | { readonly kind: 'barred'; readonly folder: ''; readonly reason: string };

/** The commits of the repository while they are read. */
export interface CodeHistory {
  readonly commits: GitCommits;
  /** The last commit of the checkout. */
  readonly head: GitCommit;
  /** Finds a commit by an id, a branch, a tag, or `HEAD~3`; null for none. */
  findRevision(text: string): Promise<GitCommit | null>;
}

/** The files of the repository around the vault, of which notes say that they are about them. Read alone; no program of it runs. */
export interface Code {
  place(): CodePlace;
  /** Returns the path from the top of the repository; of a relative one, from the vault if it begins with `./` or `../`. Null if it leads elsewhere. */
  fromTop(path: string): string | null;
  /** Returns another text when something else was committed, added or checked out. */
  stamp(): string;
  /** Whether the repository has a commit, or may have one that is not read; false where there is no repository. */
  hasCommits(): boolean;
  /** Returns the files of the checkout as they are now. Throws `IO_ERROR` for a repository that is not read. */
  files(): Promise<CheckoutFiles>;
  /** Reads commits, one caller at a time. Throws `IO_ERROR` where there are none, or the repository is not read. */
  withHistory<T>(run: (history: CodeHistory) => Promise<T>): Promise<T>;
}

/** Creates the port to the repository around a vault. `root`: its absolute real path. */
export function createCode(root: string): Code {
  const readKnownIndex = createIndexCache();
  const withHistory = async <T>(run: (history: CodeHistory) => Promise<T>): Promise<T> => {
    const checkout = requireCheckout(root);
    return await runExclusively(async () => {
      const id = readHead(checkout);
      if (id === null) throw unread(whyNoHead(checkout));
      const { findRevision } = await import('../../git/revisions.ts');
      const commits = openCommits(checkout.common, { vault: root, head: id, isStrict: true });
      try {
        const head = await commits.find(id);
        if (head === null) throw unread('its last commit is missing');
        return await run({ commits, head, findRevision: (text) => findRevision(commits, checkout, text) });
      } finally {
        commits.close();
      }
    });
  };
  return {
    place() {
      const checkout = findCheckout(root);
      if (checkout !== null) return { kind: 'repository', folder: checkout.vault };
      const reason = whyBarred(root);
      return reason === null ? { kind: 'folder', folder: '' } : { kind: 'barred', folder: '', reason };
    },
    fromTop(path) {
      const checkout = findCheckout(root);
      const top = checkout?.top ?? root;
      const isFromVault = isAbsolute(path) || /^\.\.?(?:\/|$)/.test(path);
      const found = relative(top, resolve(isFromVault ? root : top, path))
        .split(sep)
        .join('/');
      return found === '' || found === '..' || found.startsWith('../') || isAbsolute(found) ? null : found;
    },
    stamp() {
      const checkout = findCheckout(root);
      return checkout === null ? '' : `${checkout.identity} ${readHead(checkout) ?? ''} ${stampOfIndex(checkout.own) ?? ''}`;
    },
    hasCommits() {
      const checkout = findCheckout(root);
      return checkout !== null && (readHead(checkout) !== null || hasReftable(checkout) || !isUnborn(checkout));
    },
    async files() {
      const { CheckoutFiles } = await import('../../git/checkout-files.ts');
      if (findCheckout(root) === null && whyBarred(root) === null) return new CheckoutFiles(root, null);
      const checkout = requireCheckout(root);
      const index = readKnownIndex(checkout);
      if (index !== null || readHead(checkout) === null) return new CheckoutFiles(checkout.top, index);
      return new CheckoutFiles(checkout.top, await withHistory(indexOfHead));
    },
    withHistory,
  };
}

/** Returns an index of what `HEAD` has, for a checkout without one that can be read. */
async function indexOfHead({ commits, head }: CodeHistory): Promise<GitIndex> {
  const files = await commits.compare(null, head.tree, EVERYTHING);
  const entries = files.flatMap(({ path, after }) => {
    const isSubmodule = after?.mode === '160000';
    return after === null ? [] : [{ path, raw: Buffer.from(path), id: after.id, size: -1, mtimeNs: -1n, isLeftOut: false, isSubmodule }];
  });
  return { entries, mtimeNs: 0n };
}

function whyNoHead(checkout: Checkout): string {
  if (hasReftable(checkout)) return 'it keeps its branches in a form (reftable) that only git reads';
  return isUnborn(checkout) ? 'it has no commit yet' : 'its HEAD leads to no commit that roux reads';
}

function requireCheckout(root: string): Checkout {
  const checkout = findCheckout(root);
  if (checkout !== null) return checkout;
  throw unread(whyBarred(root) ?? 'the vault is in no repository');
}

/** Returns why the repository around a vault without a checkout is not read, as a clause; null if there is none. */
function whyBarred(root: string): string | null {
  const found = findRepository(root);
  if (found.kind === 'none') return null;
  return found.kind === 'barred' ? found.reason : 'it is not certainly that of this vault';
}

function unread(why: string): RouxError {
  return new RouxError('IO_ERROR', `The git repository of this vault is not read: ${why}.`, { reason: why });
}

/** Reads an index again when it has changed. */
function createIndexCache(): (checkout: Checkout) => GitIndex | null {
  let known: { readonly key: string; readonly index: GitIndex | null } | null = null;
  return (checkout) => {
    const key = stampOfIndex(checkout.own);
    if (key === null) return null;
    if (known?.key !== key) known = { key, index: readIndex(checkout.own, isSha256(checkout.common) ? 32 : 20) };
    return known.index;
  };
}
