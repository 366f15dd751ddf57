import type { GraphView } from '../../graph/view.ts';
import { composeLog, MAX_LOG_LINES } from '../../note/okf/log-text.ts';
import type { LogEntry } from '../../note/okf/log-text.ts';
import { hasReservedName, LOG } from '../../note/okf/reserved.ts';
import { baseName, isNotePath, joinPath } from '../../note/path.ts';
import type { HistoryEvent } from '../../vault/plan/plan.ts';
import type { Vault } from '../../vault/vault.ts';
import { planFile } from './plan-indexes.ts';
import type { PlannedIndexes } from './plan-indexes.ts';

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

/** Reads from the history what changed in a bundle, newest first. */
export async function readChanges({ graph, history }: Pick<Vault, 'graph' | 'history'>, top: string): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  let seen = 0;
  for await (const event of history.backward()) {
    seen += 1;
    if (seen > MAX_EVENTS || entries.length >= MAX_LOG_LINES) break;
    const { path } = event;
    if (!isNotePath(path) || hasReservedName(path) || graph.bundles.topOf(path) !== top) continue;
    const entry = graph.get(path);
    entries.push({
      day: event.timestamp.slice(0, 10),
      what: wordFor(event),
      title: entry?.title ?? baseName(path),
      path: entry === null ? null : path.slice(top === '' ? 0 : top.length + 1),
    });
  }
  return entries;
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
  vault: { readonly graph: GraphView; readonly readText: Parameters<typeof planFile>[0]['readText'] },
  top: string,
  { isKeeping, changes }: { readonly isKeeping: boolean; readonly changes: readonly LogEntry[] },
): PlannedIndexes {
  const head = '# Log\n\n';
  const compose = (present: string): string => composeLog(changes, present);
  return planFile(vault, { path: joinPath(top, LOG), what: 'log', head, isKeeping, compose });
}
