import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { fileName, folderOf } from '../../../../note/path.ts';
import { defineOperation } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';

/** Notes that use a file. */
const MAX_SOURCES = 50;

/** Returns what the page of a file that is no note shows besides its content. */
export const filePage = defineOperation({
  name: 'file_page',
  toolset: null,
  title: 'Page of a file',
  summary: 'Name, size and time of a file that is no note, and the notes that use it.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096) }),
  async run({ vault }, { path }) {
    await vault.refresh('changed');
    const { graph } = vault;
    const times = graph.isAttachment(path) ? vault.notes.timesOf(path) : null;
    if (times === null) throw new RouxError('NODE_NOT_FOUND', `There is no file "${shorten(path, 200)}" in the vault.`);
    const sources = [...new Set(graph.backlinks(path).map(({ from }) => from))].filter((from) => graph.get(from)?.isHidden === false);
    return {
      path,
      name: fileName(path),
      folder: folderOf(path),
      size: times.size,
      updated: new Date(times.modifiedMs).toISOString(),
      sources: sources.slice(0, MAX_SOURCES).map((from) => ({ path: from, title: graph.get(from)?.title ?? from })),
      source_count: sources.length,
    };
  },
});
