import type { GraphView } from '../graph/view.ts';
import { foldKey, joinPath } from '../note/path.ts';
import type { Sharing } from './sharing/open-sharing.ts';
import type { Inventory } from './sync/inventory.ts';
import type { RootCheck } from './sync/root-check.ts';
import type { Sync } from './sync/sync.ts';

/** Warnings about the whole vault, each under the name of its cause, so that it can be taken back. */
export interface Warnings {
  set(cause: string, message: string): void;
  clear(cause: string): void;
  list(): readonly string[];
  /** Takes note of what happened, for `reports` too. */
  report(message: string): void;
  /** What happened while nobody asked, the oldest first. */
  readonly reports: readonly string[];
}

/** No warnings. */
export function openWarnings(): Warnings {
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

/** What is said while the folder of a vault is not there. */
export const VAULT_IS_GONE =
  'The folder of the vault is gone, or another one stands in its place: answers are of what was there before, and nothing is written until it is back.';

/** What is said after a loss that nobody is known to have meant. */
export const VAULT_IS_SHRUNK =
  'More than half of the notes vanished within seconds, and nothing is written until they are back. If they are meant to be gone, run "roux doctor --fix", or commit the state with git.';

/** Longest list of names of one kind: a warning is read by people and agents. */
const MOST = 20;

/** All that is to be said of a vault as a whole at this moment. */
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
    ...describeTwins(graph),
  ];
}

/** What whoever asks anything has to know first; a folder that is back is compared before. */
export async function listAlerts(vault: {
  readonly rootCheck: Pick<RootCheck, 'look'>;
  readonly sync: Pick<Sync, 'isShrunk' | 'reconcile'>;
  readonly sharing: Pick<Sharing, 'trouble'> | null;
}): Promise<readonly string[]> {
  const { rootCheck, sync, sharing } = vault;
  const found = rootCheck.look();
  if (found === 'back') await sync.reconcile();
  const trouble = sharing?.trouble() ?? null;
  return [
    ...(found === 'gone' ? [VAULT_IS_GONE] : []),
    ...(sync.isShrunk ? [VAULT_IS_SHRUNK] : []),
    ...(trouble === null ? [] : [trouble]),
  ];
}

/** What the disk holds and roux does not serve, one sentence each. */
function describeSkipped(inventory: Inventory, unreadable: ReadonlyMap<string, string>): readonly string[] {
  const found = [...listUnreadable({ inventory, unreadable })];
  for (const [folder, { skipped }] of inventory.folders) {
    for (const [name, reason] of skipped) found.push(`${joinPath(folder, name)} ${reason}; it is not served.`);
  }
  return shorten(found.sort());
}

/** Folders and files that this user may not read, or the disk does not give, one sentence each. */
export function listUnreadable({ inventory, unreadable }: Pick<Sync, 'inventory' | 'unreadable'>): readonly string[] {
  const folders = [...inventory.folders].flatMap(([folder, seen]) =>
    seen.unreadable === null
      ? []
      : [`The folder ${folder === '' ? '(the vault itself)' : folder} cannot be read: ${seen.unreadable}. What was known of it is kept.`],
  );
  return [...folders, ...[...unreadable].map(([path, reason]) => `${path} cannot be read: ${reason}.`)];
}

/** Notes whose paths differ only by case or Unicode form: some file systems and sync tools cannot hold both. */
function describeTwins(graph: GraphView): readonly string[] {
  const byFold = new Map<string, string>();
  const twins: string[] = [];
  for (const { path } of graph.entries({ includeHidden: true })) {
    const fold = foldKey(path);
    const other = byFold.get(fold);
    if (other === undefined) byFold.set(fold, path);
    else twins.push(`${other} and ${path} differ only by case or Unicode form; rename one of them.`);
  }
  return shorten(twins);
}

function shorten(messages: readonly string[]): readonly string[] {
  return messages.length <= MOST ? messages : [...messages.slice(0, MOST), `… and ${messages.length - MOST} more like these.`];
}
