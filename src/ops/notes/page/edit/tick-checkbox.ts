import * as z from 'zod';
import { lineMark } from '../../../../render/syntax/tasks.ts';
import { defineOperation, writeMeta } from '../../../operation.ts';
import { etagOf } from '../../../view.ts';
import { touchOf } from '../../write/update-plan.ts';
import { findShownLine, lineConflict } from './shown-line.ts';
import { readEditableUnderLock, requireShown } from './shown-note.ts';

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
  async run(context, { path, is_done: isDone, ...shown }) {
    const found = await requireShown(context, path);
    const committed = await context.vault.writes.write(writeMeta(context, 'tick_checkbox'), async () => {
      const now = await readEditableUnderLock(context, found);
      const { entry, onDisk } = now;
      const place = findShownLine(onDisk, shown);
      const parts = TASK.exec(place?.lines[place.at]?.text ?? '');
      if (place === null || parts === null) throw lineConflict(now, shown);
      const result = { path: entry.path, was: etagOf(onDisk.hash), mark: shown.mark };
      if ((parts[2] !== ' ') === isDone) return { files: [], result };
      const ticked = `${parts[1] ?? ''}${isDone ? 'x' : ' '}${parts[3] ?? ''}`;
      const after = place.lines.map((each, index) => (index === place.at ? ticked : each.text) + each.end).join('');
      const changes = [{ op: 'text' as const, text: after }, touchOf(context, entry)];
      return {
        files: [{ kind: 'change', path: entry.path, changes, expect: { etag: onDisk.hash } }],
        result: { ...result, mark: lineMark(ticked) },
      };
    });
    const { result, files, batch } = committed;
    const [file] = files;
    return { ...result, etag: file?.hash == null ? result.was : etagOf(file.hash), batch };
  },
});
