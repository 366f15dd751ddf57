import * as z from 'zod';
import { defineOperation } from '../operation.ts';

/** Exports the vectors of a vault as one file. */
export const exportVectors = defineOperation({
  name: 'export_vectors',
  toolset: null,
  title: 'Export vectors',
  summary: 'The vectors of all embedded texts as one file, for the same notes on another machine.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  async run({ vault }) {
    const { bytes, vectors } = await vault.cache.exportVectors();
    return { base64: bytes.toString('base64'), vectors };
  },
});

/** Imports the vectors of such a file. */
export const importVectors = defineOperation({
  name: 'import_vectors',
  toolset: null,
  title: 'Import vectors',
  summary: 'Take vectors that another machine exported, so that the same texts are not embedded again.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({ base64: z.string() }),
  run: ({ vault }, { base64 }) => vault.cache.importVectors(Buffer.from(base64, 'base64')),
});
