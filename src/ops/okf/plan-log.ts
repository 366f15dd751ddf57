import { composeLog, MAX_LOG_LINES } from '../../note/okf/log-text.ts';
import type { LogEntry } from '../../note/okf/log-text.ts';
import { hasReservedName, LOG } from '../../note/okf/reserved.ts';
import { baseName, isNotePath, joinPath } from '../../note/path.ts';
import type { HistoryEvent } from '../../vault/plan/plan.ts';
import type { Vault } from '../../vault/vault.ts';
import { planFile } from './plan-indexes.ts';
import type { PlannedIndexes, Reading } from './plan-indexes.ts';

/** Events of the history that are looked at, newest first. */
const MAX_EVENTS = 20_000;

const WORDS: Readonly<Partial<Record<HistoryEvent['action'], LogEntry['what']>>> = {
  created: 'Creation',
  restored: 'Creation',
  moved: 'Renaming',
  renamed: 'Renaming',
  deleted: 'Removal',
  merged: 'Removal',
};

/** Reads from the history, once, what changed in each of some bundles, newest first. */
export async function readChanges(
  { graph, history }: Pick<Vault, 'graph' | 'history'>,
  tops: readonly string[],
): Promise<ReadonlyMap<string, readonly LogEntry[]>> {
  const changes = new Map(tops.map((top): [string, LogEntry[]] => [top, []]));
  if (changes.size === 0) return changes;
  let seen = 0;
  for await (const event of history.backward()) {
    seen += 1;
    if (seen > MAX_EVENTS) break;
    const { path } = event;
    if (!isNotePath(path) || hasReservedName(path)) continue;
    const top = graph.bundles.topOf(path);
    const entries = top === null ? undefined : changes.get(top);
    if (top === null || entries === undefined || entries.length >= MAX_LOG_LINES) continue;
    const entry = graph.get(path);
    entries.push({
      day: event.timestamp.slice(0, 10),
      what: wordFor(event),
      title: entry?.title ?? baseName(path),
      path: entry === null ? null : path.slice(top === '' ? 0 : top.length + 1),
    });
  }
  return changes;
}

function wordFor({ action, changes }: HistoryEvent): LogEntry['what'] {
  const file = changes.find(({ field }) => field === 'file');
  if (file?.before === null) return 'Creation';
  if (file?.after === null) return 'Removal';
  if (action === 'external' && changes.some(({ field }) => field === 'path')) return 'Renaming';
  return WORDS[action] ?? 'Update';
}

/** Plans the `log.md` at the top of a bundle, as `planIndexes` does. */
export function planLog(
  vault: Reading,
  top: string,
  { isKeeping, changes }: { readonly isKeeping: boolean; readonly changes: readonly LogEntry[] },
): PlannedIndexes {
  const head = '# Log\n\n';
  const compose = (present: string): string => composeLog(changes, present);
  return planFile(vault, { path: joinPath(top, LOG), what: 'log', head, isKeeping, compose });
}
