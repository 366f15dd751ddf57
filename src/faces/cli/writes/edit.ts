import { join } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { readFolders } from '../../../folder-globs.ts';
import { getNode } from '../../../ops/notes/read/get-node.ts';
import { noteAt, noteText } from '../../../ops/notes/read/note-text.ts';
import { updateNode } from '../../../ops/notes/write/update-node.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { refuseReadOnly } from '../care/setup-outcome.ts';
import { FAILED, defineCommand, DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { NOTE } from '../operation-command.ts';
import { openInEditor } from '../programs/editor.ts';
import { count, showWarnings } from '../show.ts';

/** Beyond this number of different lines, a change is reported without numbers. */
const MAX_COUNTED_LINES = 5000;

/** `roux edit`: opens a note in the user's editor. */
export const edit = defineCommand({
  name: 'edit',
  summary: 'open a note in your editor ($VISUAL, else $EDITOR, else vi)',
  details: ['The editor works on the file itself. An editor with a window of its own has to wait: EDITOR="code --wait".'],
  group: 'write',
  positionals: [NOTE],
  canPick: true,
  async run(context) {
    refuseReadOnly(context, 'edit');
    const { path, text: before } = await readOrCreateNote(context, context.args[0] ?? '');
    refuseOutside(context, path);
    const status = await openInEditor(join(context.host.root, path), { vault: context.host.root, cwd: context.program.cwd });
    const { output: after } = await context.run(noteAt, { path });
    const change = after === null ? null : await compare(before, after);
    const warnings = after === null || change === null || !change.isChanged ? [] : await readWarnings(context, path);
    if (context.isJson) context.printJson({ path, is_there: after !== null, ...(change === null ? {} : toJson(change)), warnings });
    else {
      context.print(`${visibleLine(path)}: ${change === null ? 'is no longer there' : describe(change)}`);
      showWarnings(context, warnings);
    }
    if (status === 0) return DONE;
    context.note(`The editor ended with ${status === null ? 'a signal' : `status ${status}`}.`);
    return FAILED;
  },
});

/** Throws `FORBIDDEN` for a note that the settings let nobody write: the editor would. */
function refuseOutside({ host }: CommandContext, path: string): void {
  const { folders } = host.config.writes;
  if (folders === undefined || readFolders(folders).has(path)) return;
  const message = `edit would write ${visibleLine(path)}, but only ${folders.join(', ')} may be written here.`;
  throw new RouxError('FORBIDDEN', message, { paths: [path], folders, setting: 'writes.folders' });
}

/** Returns the note. A missing daily, weekly or monthly note is created from its template. */
async function readOrCreateNote(context: CommandContext, reference: string): Promise<{ readonly path: string; readonly text: string }> {
  try {
    return (await context.run(noteText, { id: reference })).output;
  } catch (error) {
    if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND' || !reference.startsWith('@')) throw error;
    const { warnings } = await context.run(updateNode, { id: reference, append: '' });
    showWarnings(context, warnings);
    return (await context.run(noteText, { id: reference })).output;
  }
}

/** How many lines differ between two texts; without numbers if there are too many. */
interface Change {
  readonly isChanged: boolean;
  readonly added?: number;
  readonly removed?: number;
}

async function compare(before: string, after: string): Promise<Change> {
  if (before === after) return { isChanged: false };
  const { diffLines } = await import('diff');
  const parts = diffLines(before, after, { maxEditLength: MAX_COUNTED_LINES });
  if (parts === undefined) return { isChanged: true };
  const sum = (kind: 'added' | 'removed'): number => parts.filter((part) => part[kind]).reduce((total, part) => total + part.count, 0);
  return { isChanged: true, added: sum('added'), removed: sum('removed') };
}

function toJson({ isChanged, ...lines }: Change) {
  return { changed: isChanged, ...lines };
}

function describe({ isChanged, added, removed }: Change): string {
  if (!isChanged) return 'unchanged';
  return added === undefined || removed === undefined ? 'changed' : `${count(added, 'line')} added, ${removed} removed`;
}

/** Returns the warnings about a note, such as invalid frontmatter or unresolved links. */
async function readWarnings(context: CommandContext, path: string): Promise<readonly string[]> {
  const { output, warnings } = await context.run(getNode, { id: path });
  const own = output !== null && '_warnings' in output ? (output._warnings ?? []) : [];
  return [...own, ...warnings];
}
