import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { fileName } from '../../../../note/path.ts';
import { baseLimits, readBase } from '../../../../query/bases/read-bases.ts';
import { textOf } from '../../../../vault/read-files.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { defineOperation } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { locateProblem } from './locate-problem.ts';
import { findView, showView } from './show-view.ts';

const MAX_TITLE_CHARACTERS = 200;
const MAX_ROWS = 2_000;

/** Returns a view of a base with its rows. A base with a mistake is an answer of its own, which names the line. */
export const readView = defineOperation({
  name: 'read_base_view',
  toolset: null,
  title: 'View of a base',
  summary: 'A view of a .base file, or of a base block of a note: columns, rows with their values, groups and summaries.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'refuse',
  input: z.strictObject({
    base: z.string().min(1).max(4_096).optional().describe('Path of a .base file'),
    source: z.string().max(baseLimits.characters).optional().describe('The text of a base, instead of a file'),
    view: z.string().max(1_000).optional().describe('Default: the first'),
    context: z.string().min(1).max(4_096).optional().describe('The file that "this" refers to; default: the base'),
    limit: z.int().min(1).max(MAX_ROWS).default(50).describe('Rows'),
  }),
  async run(context, { base: path, source, view, context: here, limit }) {
    await context.vault.refresh('changed');
    const text = source ?? readBaseText(context.vault, path ?? '');
    const name = path === undefined ? 'This block' : fileName(path);
    try {
      const base = readBase(text, name);
      const found = findView(base, view);
      const shown = showView(context.vault, base, { name, path, view: found, here, limit });
      if (view === undefined || found.name.toLowerCase() === view.toLowerCase()) return shown;
      const notice = `This base has no view “${shorten(view, 60)}”. Its first view is shown instead.`;
      return { ...shown, notices: [notice, ...shown.notices] };
    } catch (error) {
      if (!(error instanceof RouxError) || error.code !== 'INVALID_PARAMS') throw error;
      return { kind: 'problem' as const, message: error.message, at: locateProblem(text, error.details) };
    }
  },
});

/** Reads a `.base` file. One that is too long is cut to a length that `readBase` refuses. */
function readBaseText({ graph, notes }: Vault, path: string): string {
  // A character has at most four bytes, so a longer file exceeds the limit and is not read.
  const isHuge = (notes.timesOf(path)?.size ?? 0) > 4 * baseLimits.characters;
  const text = !graph.isAttachment(path) ? null : isHuge ? 'x'.repeat(baseLimits.characters + 1) : textOf(notes.readAttachment(path));
  if (text === null) throw new RouxError('NODE_NOT_FOUND', `There is no base at ${shorten(path, MAX_TITLE_CHARACTERS)}.`, { base: path });
  return text;
}
