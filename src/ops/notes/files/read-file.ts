import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { defineOperation } from '../../operation.ts';
import { shorten } from '../../shorten.ts';

/** Returns the bytes of an attachment. */
export const readFile = defineOperation({
  name: 'read_file',
  toolset: null,
  title: 'Read a file',
  summary: 'The bytes of an attachment.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4096) }),
  run({ vault }, { path }) {
    const bytes = vault.graph.isAttachment(path) ? vault.notes.readAttachment(path) : null;
    if (bytes === null) throw new RouxError('NODE_NOT_FOUND', `There is no file "${shorten(path, 200)}" in the vault.`);
    return { path, bytes };
  },
});
