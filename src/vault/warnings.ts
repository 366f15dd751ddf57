import type { GraphView } from '../graph/view.ts';
import { foldKey, joinPath } from '../note/path.ts';
import { HOW_TO_DOWNLOAD, WHY_ONLINE_ONLY } from '../store/folder/online-only.ts';
import type { Sharing } from './sharing/open-sharing.ts';
import type { Inventory } from './sync/inventory.ts';
import type { RootCheck } from './sync/root-check.ts';
import type { Sync } from './sync/sync.ts';

/** Warnings about the whole vault, each under its cause, so that it can be cleared. */
export interface Warnings {
  set(cause: string, message: string): void;
  clear(cause: string): void;
  list(): readonly string[];
  /** Adds a warning about something that happened, and adds it to `reports`. */
  report(message: string): void;
  /** What happened between calls, oldest first. */
  readonly reports: readonly string[];
}

/** Creates an empty set of warnings. */
export function createWarnings(): Warnings {
  const messages = new Map<string, string>();
  const reports: string[] = [];
  return {
    reports,
    report(message) {
      messages.set(message, message);
      reports.push(message);
    },
    set: (cause, message) => void messages.set(cause, message),
    clear: (cause) => void messages.delete(cause),
    list: () => [...messages.values()],
  };
}

/** Warning while the folder of the vault is missing. */
export const VAULT_IS_GONE =
  'The folder of the vault is gone, or another one stands in its place: answers are of what was there before, and nothing is written until it is back.';

/** Warning after a mass deletion that nobody is known to have intended. */
export const VAULT_IS_SHRUNK =
  'More than half of the notes vanished within seconds, and nothing is written until they are back. If they are meant to be gone, run "roux doctor --fix", or commit the state with git.';

/** Messages of one kind that are listed. */
const MAX_LISTED = 20;

/** Returns all present warnings about a vault. */
export function listVaultWarnings(vault: {
  readonly warnings: Warnings;
  readonly sync: Pick<Sync, 'isShrunk' | 'inventory' | 'unreadable'>;
  readonly graph: GraphView;
}): readonly string[] {
  const { warnings, sync, graph } = vault;
  return [
    ...warnings.list(),
    ...(sync.isShrunk ? [VAULT_IS_SHRUNK] : []),
    ...describeSkipped(sync.inventory, sync.unreadable),
    ...describeCaseCollisions(graph),
  ];
}

/** Returns the warnings that apply to every answer. A folder that is back is compared first. */
export async function listAlerts(vault: {
  readonly rootCheck: Pick<RootCheck, 'look'>;
  readonly sync: Pick<Sync, 'isShrunk' | 'reconcile'>;
  readonly sharing: Pick<Sharing, 'problem'> | null;
}): Promise<readonly string[]> {
  const { rootCheck, sync, sharing } = vault;
  const found = rootCheck.look();
  if (found === 'back') await sync.reconcile();
  const problem = sharing?.problem() ?? null;
  return [
    ...(found === 'gone' ? [VAULT_IS_GONE] : []),
    ...(sync.isShrunk ? [VAULT_IS_SHRUNK] : []),
    ...(problem === null ? [] : [problem]),
  ];
}

/** Describes files on disk that roux does not serve, one sentence each. */
function describeSkipped(inventory: Inventory, unreadable: ReadonlyMap<string, string>): readonly string[] {
  const found = [...listUnreadable({ inventory, unreadable })];
  for (const [folder, { skipped }] of inventory.folders) {
    for (const [name, reason] of skipped) found.push(`${joinPath(folder, name)} ${reason}; it is not served.`);
  }
  return shorten(found.sort());
}

/** Describes folders and files that cannot be read, one sentence each. */
export function listUnreadable({ inventory, unreadable }: Pick<Sync, 'inventory' | 'unreadable'>): readonly string[] {
  const folders = [...inventory.folders].flatMap(([folder, seen]) =>
    seen.unreadable === null
      ? []
      : [`The folder ${folder === '' ? '(the vault itself)' : folder} cannot be read: ${seen.unreadable}. What was known of it is kept.`],
  );
  const isOnlineOnly = (reason: string): boolean => reason === WHY_ONLINE_ONLY;
  return [
    ...folders,
    ...describeOnlineOnly([...unreadable].flatMap(([path, reason]) => (isOnlineOnly(reason) ? [path] : []))),
    ...[...unreadable].flatMap(([path, reason]) => (isOnlineOnly(reason) ? [] : [`${path} cannot be read: ${reason}.`])),
  ];
}

/** Online-only notes that are named. */
const MAX_ONLINE_ONLY = 5;

/** Describes all online-only notes in one sentence: often these are most notes of a vault. */
function describeOnlineOnly(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const names = paths.toSorted().slice(0, MAX_ONLINE_ONLY).join(', ');
  const rest = paths.length > MAX_ONLINE_ONLY ? ` and ${paths.length - MAX_ONLINE_ONLY} more` : '';
  const what = paths.length === 1 ? '1 note is online-only: ' : `${paths.length} notes are online-only: `;
  return [
    `${what}${WHY_ONLINE_ONLY} (${names}${rest}). Such notes are not taken for deleted: links to them stay, what was read of them before counts, and nothing is written to them. ${HOW_TO_DOWNLOAD}.`,
  ];
}

/** Describes notes whose paths differ only by case or Unicode form, which some file systems and sync tools cannot hold both. */
function describeCaseCollisions(graph: GraphView): readonly string[] {
  const byFold = new Map<string, string>();
  const collisions: string[] = [];
  for (const { path } of graph.entries({ includeHidden: true })) {
    const fold = foldKey(path);
    const other = byFold.get(fold);
    if (other === undefined) byFold.set(fold, path);
    else collisions.push(`${other} and ${path} differ only by case or Unicode form; rename one of them.`);
  }
  return shorten(collisions);
}

function shorten(messages: readonly string[]): readonly string[] {
  return messages.length <= MAX_LISTED
    ? messages
    : [...messages.slice(0, MAX_LISTED), `… and ${messages.length - MAX_LISTED} more like these.`];
}
