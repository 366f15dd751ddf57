import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { lineMark } from '../../../../render/syntax/tasks.ts';
import { defineOperation, writeMeta } from '../../../operation.ts';
import { etagOf } from '../../../view.ts';
import { touchOf } from '../../write/update-plan.ts';
import { requireShown, requireShownUnderLock } from './shown-note.ts';
import { requireEditable, splitLines } from './source-text.ts';

/** The beginning of a task: marks of quotes and lists, then its box. States of people's own, such as `[>]`, are not matched. */
const TASK = /^([ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*\[)([ xX])(\](?:[ \t].*)?)$/s;

/** Ticks a checkbox in the text of a note, or takes the tick away. */
export const tickCheckbox = defineOperation({
  name: 'tick_checkbox',
  toolset: null,
  title: 'Tick a checkbox',
  summary: 'Ticks the checkbox in a line of a note, or takes the tick away. One character of the file changes.',
  effect: 'write',
  isIdempotent: true,
  input: z.strictObject({
    path: z.string().min(1).max(4_096),
    /** The line in the file, the first is 0. */
    line: z.int().min(0),
    /** Identifies the text of that line as it was shown (`lineMark`). */
    mark: z.string().length(12),
    is_done: z.boolean(),
    /** The etag of the note as it was shown. In a newer text the line is found by its mark. */
    if_match: z.string().min(8).max(64),
  }),
  async run(context, { path, line, mark, is_done: isDone, if_match: etag }) {
    const found = await requireShown(context, path);
    const committed = await context.vault.writes.write(writeMeta(context, 'tick_checkbox'), async () => {
      const entry = await requireShownUnderLock(context, found);
      const now = context.vault.notes.readUnstable(entry.path);
      if (now === null) throw new RouxError('NODE_NOT_FOUND', 'This note is gone.', { path });
      requireEditable(now);
      const { text } = now.note;
      const lines = splitLines(text);
      const at = now.hash.startsWith(etag) ? line : findOnly(lines, mark);
      const task = lines[at];
      const parts = task === undefined || lineMark(task.text) !== mark ? null : TASK.exec(task.text);
      if (parts === null)
        throw new RouxError('CONFLICT', 'This line has changed since it was shown.', {
          path: entry.path,
          line,
          etag: etagOf(now.hash),
        });
      const result = { path: entry.path, was: etagOf(now.hash), mark };
      if ((parts[2] !== ' ') === isDone) return { files: [], result };
      const ticked = `${parts[1] ?? ''}${isDone ? 'x' : ' '}${parts[3] ?? ''}`;
      const after = lines.map((each, index) => (index === at ? ticked : each.text) + each.end).join('');
      const changes = [{ op: 'text' as const, text: after }, touchOf(context, entry)];
      return {
        files: [{ kind: 'change', path: entry.path, changes, expect: { etag: now.hash } }],
        result: { ...result, mark: lineMark(ticked) },
      };
    });
    const { result, files, batch } = committed;
    const [file] = files;
    return { ...result, etag: file?.hash == null ? result.was : etagOf(file.hash), batch };
  },
});

/** Returns the index of the only line with a mark, or -1: of equal lines it is unknown which one was meant. */
export function findOnly(lines: ReturnType<typeof splitLines>, mark: string): number {
  const found = lines.flatMap(({ text }, index) => (lineMark(text) === mark ? [index] : []));
  return found.length === 1 ? (found[0] ?? -1) : -1;
}
