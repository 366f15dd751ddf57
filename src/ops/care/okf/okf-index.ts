import * as z from 'zod';
import { defineOperation, writeMeta } from '../../operation.ts';
import { topsFor } from './tops.ts';

/** Generates the `index.md` of every folder of a bundle, and on request its `log.md`. */
export const okfIndex = defineOperation({
  name: 'okf_index',
  toolset: null,
  title: 'Generate the indexes of a bundle',
  summary: 'The index.md of every folder of a bundle, and its log.md from the history; what people wrote stays.',
  effect: 'write',
  writesByOption: true,
  isOfWholeVault: true,
  isIdempotent: true,
  input: z.object({
    folder: z.string().optional(),
    log: z.boolean().default(false).describe('Also its log.md'),
    write: z.boolean().default(false).describe('Default: only tell what would be written'),
  }),
  async run(context, { folder, log, write }) {
    const { vault } = context;
    await vault.refresh('changed');
    const tops = topsFor(vault, folder);
    const { writeIndexes } = await import('../../okf/write-indexes.ts');
    const meta = writeMeta(context, 'okf_index');
    const options = { tops, isKeeping: false, withLog: log };
    return { files: await writeIndexes(vault, { ...meta, dryRun: !write || meta.dryRun === true }, options) };
  },
});
