import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import type { NoteEntry } from '../../../../graph/view.ts';
import { limitWarnings } from '../../../dry-run.ts';
import { defineOperation, writeMeta } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { findNoteUnderLock, findOrDefer, requireNote } from '../../../reference.ts';
import { findQueries } from '../../rename/rename-queries.ts';
import type { Merged } from './plan-merge.ts';

const MAX_SOURCES = 50;

/** The result of `merge_nodes`. */
export interface MergedNodes extends Merged {
  /** For undo. */
  readonly batch: string | null;
  readonly _warnings?: readonly string[];
}

/** Merges notes into another one: text, properties and every link. */
export const mergeNodes = defineOperation({
  name: 'merge_nodes',
  toolset: 'vault',
  title: 'Merge notes',
  summary: 'Merge notes into one: text (at its end), lists and every link; the sources go to the trash.',
  effect: 'destroy',
  isIdempotent: false,
  input: z.object({
    sources: z.array(z.string()).min(1).max(MAX_SOURCES).describe('Notes to merge into target'),
    target: z.string().describe('Its values win'),
  }),
  async run(context, { sources, target }): Promise<MergedNodes> {
    let queries: readonly string[] = [];
    const find = await findOrDefer(context, async () => {
      const from: (readonly [string, NoteEntry])[] = [];
      for (const id of sources) from.push([id, await requireNote(context, id)]);
      queries = await findQueries(
        context,
        from.map(([, { path }]) => ({ kind: 'file', from: path, to: { path: target } })),
      );
      return { into: await requireNote(context, target), from };
    });
    const committed = await context.vault.writes.write(writeMeta(context, 'merge_nodes'), async (graph) => {
      const { into, from } = find();
      const kept = await lookAgain(context, target, into);
      const ending = new Map<string, NoteEntry>();
      for (const [id, entry] of from) {
        const now = await lookAgain(context, id, entry);
        if (now.path === kept.path)
          throw new RouxError('INVALID_PARAMS', `merge_nodes: ${kept.path} is the target and a source. Name it once.`, {
            field: 'sources',
          });
        ending.set(now.path, now);
      }
      // Loaded lazily: most sessions merge nothing.
      const { planMerge } = await import('./plan-merge.ts');
      return planMerge(context, graph, kept, [...ending.values()]);
    });
    const { result } = committed;
    const warnings = [...limitWarnings(committed), ...queries];
    return { ...result, batch: committed.batch, ...(warnings.length === 0 ? {} : { _warnings: warnings }) };
  },
});

async function lookAgain(context: OperationContext, id: string, found: NoteEntry): Promise<NoteEntry> {
  const entry = await findNoteUnderLock(context, found, id);
  if (entry !== null) return entry;
  throw new RouxError('NODE_NOT_FOUND', `${found.path} is gone: somebody removed it. Nothing was merged.`, { id });
}
