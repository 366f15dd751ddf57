import type { NoteEntry } from '../../../graph/view.ts';
import { compile } from '../../../query/compile.ts';
import { createQueryNames } from '../../../query/formulas.ts';
import { quoted } from '../../../query/query-error.ts';
import { Run } from '../../../query/run.ts';
import { selectRows } from '../../../query/select.ts';
import { FileValue } from '../../../query/values.ts';
import type { Notes, Vault } from '../../../vault/vault.ts';
import type { OperationContext } from '../../operation.ts';
import { checkPropertyNames, listPropertyNames } from './unknown-names.ts';

/** What queries need of a vault. */
export type QueriedVault = Pick<Vault, 'graph' | 'ports'> & { readonly notes: Pick<Notes, 'timesOf'> };

/** Creates a run of expressions over the notes of a vault. `here`: the file that `this` stands for. */
export function createRun({ graph, ports, notes }: QueriedVault, here: string | null): Run {
  return new Run(
    { graph, now: ports.clock.now(), random: () => ports.random(), timesOf: (path) => notes.timesOf(path) },
    here === null ? null : new FileValue(here, graph.get(here)),
  );
}

/** Returns the notes for which an expression holds, by path. */
export function selectNotes(context: OperationContext, where: string, notes: readonly NoteEntry[]): readonly NoteEntry[] {
  const { vault } = context;
  const { graph } = vault;
  const names = createQueryNames({
    hasContext: false,
    isProperty: (name) => listPropertyNames(graph).has(name),
    formulas: new Map(),
    place: String,
  });
  const selection = { where: [compile({ text: where, place: 'where' }, names)], sort: [], groupBy: null, limit: null };
  const files = notes.map((entry) => new FileValue(entry.path, entry));
  const rows = selectRows(createRun(vault, null), files, selection);
  for (const name of checkPropertyNames(graph, names)) context.warn(`No note has a property ${quoted(name)}.`);
  return rows.flatMap(({ file }) => file.entry ?? []);
}
