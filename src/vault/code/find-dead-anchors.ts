import { errorMessage, RouxError } from '../../errors.ts';
import type { CheckoutFiles } from '../../git/checkout-files.ts';
import { followRenames, folderAfter } from '../../git/renames.ts';
import type { Renamed } from '../../git/renames.ts';
import type { Anchor } from '../../note/anchors/anchors.ts';
import type { Vault } from '../vault.ts';
import { listAnchoredNotes } from './anchored-notes.ts';
import type { AnchoredNote } from './anchored-notes.ts';
import type { CodeHistory } from './code.ts';

/** An anchor that leads to no code. */
export interface DeadAnchor {
  readonly note: AnchoredNote;
  /** As it is written. */
  readonly anchor: string;
  /** `moved`: git tells where it is now. `invalid`: it is no path of the repository. */
  readonly kind: 'missing' | 'moved' | 'invalid';
  /** Why it is invalid, as a clause. */
  readonly problem?: string;
  /** What to write instead of a moved one, from the top of the repository. */
  readonly movedTo?: string;
  /** The commit that moved it; absent if that is not committed yet. */
  readonly commit?: string;
}

/** Findings, and why there may be more. */
export interface Found<Finding> {
  readonly findings: readonly Finding[];
  /** What was not looked at, as sentences. */
  readonly incomplete: readonly string[];
  /** How many objects of git were read. */
  readonly objectsRead: number;
}

/** Files of a folder by which a rename of it is recognised. */
const MAX_STAGED = 200;

type VaultWithCode = Pick<Vault, 'graph' | 'code'>;

/**
 * Finds the anchors that match no file: neither a tracked one nor another in the checkout. What lies behind a link, or in a submodule that is
 * not checked out, counts as alive.
 */
export async function findDeadAnchors(vault: VaultWithCode, notes = listAnchoredNotes(vault)): Promise<Found<DeadAnchor>> {
  const invalid = notes.flatMap((note) =>
    note.invalid.map(({ text, problem }): DeadAnchor => ({ note, anchor: text, kind: 'invalid', problem })),
  );
  const place = vault.code.place();
  if (notes.length === 0 || place.kind === 'barred')
    return { findings: invalid, incomplete: place.kind === 'barred' ? [describeBarred(place.reason)] : [], objectsRead: 0 };
  const files = await vault.code.files().catch(describeUnread);
  if (typeof files === 'string') return { findings: invalid, incomplete: [files], objectsRead: 0 };
  const isAlive = createLifeTest(files);
  const dead = notes.flatMap((note) => note.anchors.flatMap((anchor) => (isAlive(anchor) ? [] : [{ note, anchor }])));
  if (dead.length === 0 || place.kind === 'folder')
    return { findings: [...invalid, ...dead.map(({ note, anchor }) => toMissing(note, anchor))], incomplete: [], objectsRead: 0 };
  const { moves, incomplete, objectsRead } = await findMoves(
    vault,
    files,
    dead.map(({ anchor }) => anchor),
  );
  const findings = dead.map(({ note, anchor }): DeadAnchor => {
    const moved = moves.get(anchor.pattern);
    if (moved === undefined) return toMissing(note, anchor);
    const { path: movedTo, commit } = moved;
    return { note, anchor: anchor.text, kind: 'moved', movedTo, ...(commit === '' ? {} : { commit }) };
  });
  return { findings: [...invalid, ...findings], incomplete, objectsRead };
}

/** Says that a repository is not read. */
export function describeBarred(reason: string): string {
  return `The repository around the vault is not read: ${reason}.`;
}

/** Says why a repository could not be read; throws every other error. */
export function describeUnread(error: unknown): string {
  if (error instanceof RouxError && ['IO_ERROR', 'TOO_LARGE'].includes(error.code)) return errorMessage(error);
  throw error;
}

function toMissing(note: AnchoredNote, { text }: Anchor): DeadAnchor {
  return { note, anchor: text, kind: 'missing' };
}

/** Returns a function that tells whether an anchor matches anything in the checkout. */
export function createLifeTest(files: CheckoutFiles): (anchor: Anchor) => boolean {
  const known = new Map<string, boolean>();
  return (anchor) => {
    const found = known.get(anchor.pattern) ?? isAlive(files, anchor);
    known.set(anchor.pattern, found);
    return found;
  };
}

function isAlive(files: CheckoutFiles, { pattern, isPlain, homes, matches }: Anchor): boolean {
  if (files.find(pattern) !== null) return true;
  if (isPlain) return false;
  if (homes.some((home) => files.under(home).some((path) => matches(path) && files.find(path) !== null))) return true;
  return homes.some((home) => {
    if (home !== '' && files.find(home) === 'unseen') return true;
    for (const path of files.walk(home)) if (path === null || matches(path)) return true;
    return false;
  });
}

/** Returns where files and folders are that git renamed, by the patterns of the dead anchors that name them; none where git is not read. */
export async function findRenamedHomes(vault: VaultWithCode, anchors: readonly Anchor[]): Promise<ReadonlyMap<string, string>> {
  if (vault.code.place().kind !== 'repository') return new Map();
  const files = await vault.code.files().catch(describeUnread);
  if (typeof files === 'string') return new Map();
  const isAlive = createLifeTest(files);
  const { moves } = await findMoves(
    vault,
    files,
    anchors.filter((anchor) => !isAlive(anchor)),
  );
  return new Map([...moves].map(([pattern, { home }]) => [pattern, home]));
}

interface Move extends Renamed {
  /** The file or folder that was renamed; `path` is the whole pattern. */
  readonly home: string;
}

/** Finds where what dead anchors name is now, by their patterns. */
async function findMoves(
  { code }: VaultWithCode,
  files: CheckoutFiles,
  anchors: readonly Anchor[],
): Promise<{ readonly moves: ReadonlyMap<string, Move>; readonly incomplete: readonly string[]; readonly objectsRead: number }> {
  // A glob moves with the folder that its wildcards are in.
  const homes = new Map(anchors.map(({ pattern, isPlain, homes: [home = ''] }) => [pattern, isPlain ? pattern : home]));
  const wanted = [...new Set(homes.values())].filter((home) => home !== '' && files.find(home) === null);
  if (wanted.length === 0) return { moves: new Map(), incomplete: [], objectsRead: 0 };
  try {
    return await code.withHistory(async (history) => {
      const renamed = new Map(await followRenames(history.commits, history.head, wanted));
      for (const path of wanted) {
        const staged = renamed.has(path) ? null : await findStaged(history, files, path);
        if (staged !== null) renamed.set(path, { path: staged, commit: '' });
      }
      const moves = new Map<string, Move>();
      for (const [pattern, home] of homes) {
        const to = renamed.get(home);
        if (to !== undefined && files.find(to.path) !== null)
          moves.set(pattern, { ...to, home: to.path, path: to.path + pattern.slice(home.length) });
      }
      return { moves, incomplete: [], objectsRead: history.commits.objectsRead };
    });
  } catch (error) {
    // They are dead all the same.
    return { moves: new Map(), incomplete: [describeUnread(error)], objectsRead: 0 };
  }
}

/** Returns where a file or folder of `HEAD` is that was renamed and not committed; null for none. */
async function findStaged({ commits, head }: CodeHistory, files: CheckoutFiles, path: string): Promise<string | null> {
  const below = await commits.compare(null, head.tree, {
    mayMatch: (folder) => folder === '' || folder === path || `${path}/`.startsWith(`${folder}/`) || folder.startsWith(`${path}/`),
    matches: (file) => file === path || file.startsWith(`${path}/`),
  });
  const pairs = new Map<string, string>();
  for (const { path: from, after } of below.slice(0, MAX_STAGED)) {
    for (const to of after === null ? [] : files.withId(after.id))
      if (!pairs.has(from) && files.find(to) !== null && (await commits.entryAt(head, to)) === null) pairs.set(from, to);
  }
  return pairs.get(path) ?? folderAfter(path, pairs) ?? null;
}
