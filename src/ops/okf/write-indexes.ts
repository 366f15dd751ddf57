import { linkKey, foldKey, joinPath } from '../../note/path.ts';
import type { GraphView } from '../../graph/view.ts';
import { LOG } from '../../note/okf/reserved.ts';
import type { WriteMeta } from '../../vault/plan/plan.ts';
import type { Vault } from '../../vault/vault.ts';
import { joinPlans, planIndexes } from './plan-indexes.ts';
import type { IndexOutcome, PlannedIndexes, Reading } from './plan-indexes.ts';
import { planLog, readChanges } from './plan-log.ts';

interface IndexOptions {
  /** The top folders of the bundles; default: all of the vault. */
  readonly tops?: readonly string[];
  /** Files that are not there are not made. */
  readonly isKeeping: boolean;
  /** Whether a `log.md` is made where there is none; one with roux's marks is brought up to date in any case. */
  readonly withLog?: boolean;
}

/** Brings the generated parts of the `index.md` and `log.md` files of bundles up to date, in one write. */
export async function writeIndexes(vault: Vault, meta: WriteMeta, options: IndexOptions): Promise<readonly IndexOutcome[]> {
  const { result } = await vault.writes.write(meta, async (graph) => {
    const { files, outcomes } = await planAll(vault, graph, options);
    return { files, result: outcomes };
  });
  return result;
}

/** Plans what `writeIndexes` writes. */
async function planAll(vault: Vault, graph: GraphView, options: IndexOptions): Promise<PlannedIndexes> {
  const { tops = graph.bundles.tops, isKeeping, withLog = false } = options;
  const reading: Reading = {
    graph,
    readText: (path) => vault.notes.readUnstable(path)?.note.text ?? null,
    isTaken: (path) => vault.notes.timesOf(path) !== null || graph.byKey(linkKey(path)).some((other) => foldKey(other) === foldKey(path)),
  };
  // A log that nobody asked for costs no reading of the history.
  const logged = tops.filter((top) => (withLog && !isKeeping) || graph.get(joinPath(top, LOG)) !== null);
  const changes = await readChanges({ graph, history: vault.history }, logged);
  const attachments = new Map(tops.map((top): [string, string[]] => [top, []]));
  for (const path of graph.attachments()) attachments.get(graph.bundles.topOf(path) ?? '')?.push(path);
  return joinPlans(
    tops.flatMap((top) => {
      const indexes = planIndexes(reading, top, { isKeeping, attachments: attachments.get(top) ?? [] });
      const entries = changes.get(top);
      return entries === undefined ? [indexes] : [indexes, planLog(reading, top, { isKeeping: isKeeping || !withLog, changes: entries })];
    }),
  );
}
