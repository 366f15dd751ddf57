import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { defineOperation } from '../../operation.ts';
import type { ExportedBundle } from '../../okf/export-notes.ts';
import { shorten } from '../../shorten.ts';
import { folderName } from './tops.ts';

/** Returns the files of a bundle of the Open Knowledge Format: those of a bundle as they are, those of other notes converted. */
export const okfExport = defineOperation({
  name: 'okf_export',
  toolset: null,
  title: 'Export a bundle',
  summary: 'The notes of the vault or of a folder as a bundle of the Open Knowledge Format, and what it cannot say.',
  effect: 'read',
  isOfWholeVault: true,
  isIdempotent: true,
  input: z.object({
    folder: z.string().default('').describe('Default: the vault'),
    type: z.string().trim().min(1).max(200).default('Note').describe('Type of notes that have none'),
  }),
  async run({ vault }, { folder, type }): Promise<ExportedBundle> {
    await vault.refresh('strict');
    const top = folderName(folder);
    const { graph } = vault;
    const { exportBundle, exportNotes } = await import('../../okf/export-notes.ts');
    if (graph.bundles.tops.includes(top)) return exportBundle(vault, top);
    if (graph.entries({ under: top, includeHidden: true }).next().done === true)
      throw new RouxError('INVALID_PARAMS', `No note is in ${shorten(folder, 200) || 'the vault'}.`);
    return exportNotes(vault, { folder: top, type });
  },
});
