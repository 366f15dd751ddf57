import type { GraphView } from '../../../graph/view.ts';
import { foldKey, isNotePath, toNotePath } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import { parseNote } from '../../../note/parse.ts';
import { findVacated, planCreateSideEffects, planMoves } from '../../../vault/links/move.ts';
import type { RenameContext } from '../../../vault/links/rename.ts';
import { planRenames } from '../../../vault/links/renames/plan-renames.ts';
import { creationOf, wholeSplice } from '../../../vault/plan/file-change.ts';
import type { FileChange, Plan } from '../../../vault/plan/plan.ts';
import { checkRenames } from '../../call/guards.ts';
import { createRenameContext } from '../../links.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { refuseToolNote } from '../write/merge-and-extract/plan-merge.ts';
import { answer, MemoryFault } from './fault.ts';
import { checkDownloaded, checkNew, filesBelow, filesInside, find, folderOnDisk, readFolder, readPath, ROOT } from './memory-path.ts';
import type { MemoryPath } from './memory-path.ts';
import { linesOf, MAX_FILE_CHARACTERS, readText, snippet, tooLarge } from './memory-text.ts';
import { planRemovals } from './remove-memory.ts';
import { memoryInput } from './view-memory.ts';

/** A command, and where it works. */
interface Edit {
  readonly context: OperationContext;
  readonly graph: GraphView;
  readonly folder: string;
  readonly call: Readonly<Record<string, unknown>>;
}

/** A plan whose result is what the model is told. */
type EditPlan = Plan & { readonly result: string };

/** Characters of a text of the model in a message. */
const MAX_QUOTED_CHARACTERS = 500;
/** Lines that a message names. */
const MAX_OCCURRENCES = 100;

/** The commands of the memory tool of the Claude API that write (O-05). Each is one write, with its batch for undo. */
export const editMemory = defineOperation({
  name: 'memory_tool_edit',
  toolset: null,
  title: 'Memory tool: edit',
  summary: 'Creates, edits, removes or renames a file or folder below /memories, as the commands of the memory tool say.',
  effect: 'destroy',
  isIdempotent: false,
  input: memoryInput,
  run: (context, { folder: given, call }) => {
    const folder = readFolder(given);
    return answer(async () => {
      const { command } = call;
      const plan = typeof command === 'string' && Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
      if (plan === undefined)
        throw new MemoryFault(
          `Error: The command ${shorten(JSON.stringify(command) ?? 'null', 100)} is unknown. Commands: view, ${Object.keys(COMMANDS).join(', ')}.`,
        );
      const { batch, result } = await context.vault.writes.write(writeMeta(context, 'memory_tool'), (graph) =>
        plan({ context, graph, folder: folderOnDisk(graph, folder), call }),
      );
      return { content: result, is_error: false, ...(batch === null ? {} : { batch }) };
    });
  },
});

const COMMANDS: Readonly<Record<string, (edit: Edit) => EditPlan | Promise<EditPlan>>> = {
  create: planCreate,
  str_replace: planReplace,
  insert: planInsert,
  delete: planDelete,
  rename: planRename,
};

function planCreate({ context, graph, folder, call }: Edit): EditPlan {
  const place = readPath(call['path'], 'path', folder);
  const text = textOf(call, 'file_text');
  if (text.length > MAX_FILE_CHARACTERS) throw tooLarge(place.shown);
  linesOf(text, place.shown);
  if (isTaken(context, graph, place, folder)) throw new MemoryFault(`Error: File ${place.shown} already exists`);
  checkNew(place);
  const effects = planCreateSideEffects(createRenameContext(context.vault, graph), [place.path]);
  return {
    ...effects,
    files: [creationOf(place.path, { bytes: Buffer.from(text) }), ...effects.files],
    result: `File created successfully at: ${place.shown}`,
  };
}

function planReplace(edit: Edit): EditPlan {
  const missing = 'Error: The path {path} does not exist. Please provide a valid path.';
  const { place, before, change } = openFile(edit, missing);
  const wanted = textOf(edit.call, 'old_str');
  if (wanted === '') throw new MemoryFault('Error: `old_str` is empty. Give the text to replace.');
  const { old, by } = inFileLines(before, wanted, edit.call['new_str'] === undefined ? '' : textOf(edit.call, 'new_str'));
  const at = before.indexOf(old);
  const quoted = `old_str \`${shorten(wanted, MAX_QUOTED_CHARACTERS)}\``;
  if (at < 0) throw new MemoryFault(`No replacement was performed, ${quoted} did not appear verbatim in ${place.shown}.`);
  if (before.includes(old, at + 1)) {
    const lines = occurrences(before, old).join(', ');
    throw new MemoryFault(`No replacement was performed. Multiple occurrences of ${quoted} in lines: ${lines}. Please ensure it is unique`);
  }
  const after = before.slice(0, at) + by + before.slice(at + old.length);
  const shown = snippet(after, at, at + by.length);
  return change(after, `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${shown}`);
}

function planInsert(edit: Edit): EditPlan {
  const { place, before, change } = openFile(edit, 'Error: The path {path} does not exist');
  const line = edit.call['insert_line'];
  // Documented as `insert_text`; models that know the text editor say `new_str`.
  const text = textOf(edit.call, edit.call['insert_text'] === undefined && edit.call['new_str'] !== undefined ? 'new_str' : 'insert_text');
  const lines = linesOf(before, place.shown);
  if (typeof line !== 'number' || !Number.isInteger(line) || line < 0 || line > lines.length) {
    const given = shorten(JSON.stringify(line) ?? 'undefined', 100);
    throw new MemoryFault(
      `Error: Invalid \`insert_line\` parameter: ${given}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  const lineEnd = before.includes('\r\n') ? '\r\n' : '\n';
  const added = text.replace(/\r?\n$/, '').replaceAll(/\r?\n/g, lineEnd);
  // What comes before the first line comes after a byte-order mark.
  const start = before.startsWith('\uFEFF') ? 1 : 0;
  const at = Math.max(
    start,
    lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0),
  );
  const after = line === lines.length ? `${before}${lineEnd}${added}` : `${before.slice(0, at)}${added}${lineEnd}${before.slice(at)}`;
  return change(after, `The file ${place.shown} has been edited.`);
}

async function planDelete(edit: Edit): Promise<EditPlan> {
  const { context, graph, folder, call } = edit;
  const place = readPath(call['path'], 'path', folder);
  if (place.isRoot) throw new MemoryFault(`Error: Cannot delete the ${place.shown} directory itself`);
  const found = find(context.vault, graph, place, folder);
  if (found === null) throw new MemoryFault(`Error: The path ${place.shown} does not exist`);
  const paths = found.kind === 'folder' ? await takeFiles(edit, place, found.files, 'deleted') : [found.path];
  const plan = await planRemovals(context, graph, paths);
  return {
    ...plan,
    ...(found.kind === 'folder' ? { emptied: [found.path] } : {}),
    vacated: foldersLeft(context, graph, folder, paths),
    result: `Successfully deleted ${place.shown}`,
  };
}

/** Returns the folders that may be empty now: each goes with its last file, as it came with its first. The model cannot remove it later. */
function foldersLeft({ vault }: OperationContext, graph: GraphView, root: string, paths: readonly string[]): readonly string[] {
  const renaming = createRenameContext(vault, graph);
  const stays = (folder: string): boolean => folder === root || renaming.isConfiguredFolder?.(folder) !== false;
  return findVacated({ ...renaming, isConfiguredFolder: stays }, new Map(paths.map((path) => [path, ''])));
}

async function planRename(edit: Edit): Promise<EditPlan> {
  const { context, graph, folder, call } = edit;
  const from = readPath(call['old_path'], 'old_path', folder);
  const to = readPath(call['new_path'], 'new_path', folder);
  if (from.isRoot) throw new MemoryFault(`Error: Cannot rename the ${from.shown} directory itself`);
  const found = find(context.vault, graph, from, folder);
  if (found === null) throw new MemoryFault(`Error: The path ${from.shown} does not exist`);
  if (found.kind === 'folder') await takeFiles(edit, from, found.files, 'renamed');
  // Another case of its own name is no other file.
  const isSame = foldKey(from.path) === foldKey(to.path) && found.path !== to.path && found.kind !== 'folder';
  if (!isSame && isTaken(context, graph, to, folder)) throw new MemoryFault(`Error: The destination ${to.shown} already exists`);
  checkNew(to);
  const renaming = createRenameContext(context.vault, graph);
  const plan =
    found.kind === 'folder'
      ? planRenames(renaming, [{ kind: 'folder', from: found.path, to: to.path }])
      : planMove(context, renaming, { ...from, path: found.path }, to);
  const entry = isNotePath(to.path) ? null : graph.get(found.path);
  if (entry !== null)
    await refuseToolNote(context, graph, entry, {
      task: 'a file that is no note cannot be one.',
      other: 'A file that is no note is not found by them.',
    });
  await checkRenames(context, graph, plan.files);
  return { ...plan, result: `Successfully renamed ${from.shown} to ${to.shown}` };
}

/** Lists the files of a folder that a command takes along. Throws a fault where there are none, since a write is of files. */
async function takeFiles(
  { context: { vault }, folder }: Edit,
  { shown }: MemoryPath,
  files: readonly string[],
  how: string,
): Promise<readonly string[]> {
  const taken: string[] = [];
  for await (const path of filesInside(vault, files, folder)) {
    checkDownloaded(vault.notes, path, `${ROOT}${path.slice(folder.length)}`);
    taken.push(path);
  }
  if (taken.length === 0) throw new MemoryFault(`Error: The directory ${shown} is empty and cannot be ${how}. Ask the user to do that.`);
  return taken;
}

/** Plans the move of a file with every link to it. One that becomes a note, or is none any more, is made anew: a move keeps its kind. */
function planMove({ vault }: OperationContext, renaming: RenameContext, from: MemoryPath, to: MemoryPath): Plan {
  const plan = planMoves(renaming, [{ from: from.path, to: to.path }]);
  if (isNotePath(from.path) === isNotePath(to.path)) return plan;
  const { bytes } = readText({ notes: vault.notes }, from);
  const others = plan.files.filter((file) => file.kind !== 'move');
  return { ...plan, files: [creationOf(to.path, { bytes }), { kind: 'remove', path: from.path, to: 'trash' }, ...others] };
}

/** Returns the text of an existing file, and what plans its change. `missing`: the fault where there is none. */
function openFile({ context, graph, folder, call }: Edit, missing: string) {
  const given = readPath(call['path'], 'path', folder);
  const found = find(context.vault, graph, given, folder);
  if (found === null || found.kind === 'folder') throw new MemoryFault(missing.replace('{path}', () => given.shown));
  const place = { ...given, path: found.path };
  const { text: before, bytes, hash } = readText(context.vault, place);
  const change = (after: string, result: string): EditPlan => {
    if (after.length > MAX_FILE_CHARACTERS) throw tooLarge(place.shown);
    linesOf(after, place.shown);
    return { files: [changeOf(place, { before, after, bytes, hash })], result };
  };
  return { place, before, change };
}

function changeOf(
  { shown, path }: MemoryPath,
  { before, after, bytes, hash }: { readonly before: string; readonly after: string; readonly bytes: Buffer; readonly hash: string | null },
): FileChange {
  const note = toNotePath(path);
  if (note === null || hash === null) return wholeSplice(path, bytes, Buffer.from(after));
  const [was] = faultsOf(note, before);
  const [fault] = faultsOf(note, after);
  if (fault !== undefined && was === undefined)
    throw new MemoryFault(
      `Error: The properties at the beginning of ${shown} could not be read after this change, so nothing was changed: ${fault}.`,
    );
  if (becomeText(note, before, after))
    throw new MemoryFault(
      `Error: The properties of ${shown} have to stay between the two lines "---" at its beginning, so nothing was changed. Insert text after them.`,
    );
  return { kind: 'change', path: note, changes: [{ op: 'text', text: after }], expect: { etag: hash } };
}

/** Whether the properties of a note are still there after a change, but as text of its body. */
function becomeText(path: NotePath, before: string, after: string): boolean {
  const { yaml } = parseNote(path, before).frontmatter;
  const lines = yaml === null ? '' : before.slice(yaml.start, yaml.end).trim();
  return lines !== '' && after.includes(lines) && parseNote(path, after).frontmatter.block === null;
}

/** Says what is wrong with the frontmatter of a note. */
function faultsOf(path: NotePath, text: string): readonly string[] {
  const { problems } = parseNote(path, text);
  return problems.flatMap(({ code, message }) => (code.startsWith('frontmatter-') && code !== 'frontmatter-dropped-key' ? [message] : []));
}

/** Whether something has this path, or one that some disks take for it. */
function isTaken({ vault }: OperationContext, graph: GraphView, place: MemoryPath, folder: string): boolean {
  if (find(vault, graph, place, folder) !== null || vault.notes.timesOf(place.path) !== null) return true;
  const key = foldKey(place.path);
  return filesBelow(graph, folder).some((path) => `${foldKey(path)}/`.startsWith(`${key}/`));
}

function textOf(call: Readonly<Record<string, unknown>>, field: string): string {
  const value = call[field];
  if (typeof value !== 'string') throw new MemoryFault(`Error: \`${field}\` is missing. Give a text.`);
  if (value.includes('\0')) throw new MemoryFault(`Error: \`${field}\` has null characters, which a text may not have.`);
  return value;
}

/** Returns what to replace and by what, with the line ends of the file where the model gave others. */
function inFileLines(text: string, old: string, by: string): { readonly old: string; readonly by: string } {
  if (!text.includes('\r\n') || old.includes('\r')) return { old, by };
  const convert = (part: string): string => part.replaceAll(/\r?\n/g, '\r\n');
  if (!text.includes(old)) return { old: convert(old), by: convert(by) };
  return { old, by: old.includes('\n') ? by : convert(by) };
}

/** Returns the numbers of the first lines in which a text begins. */
function occurrences(text: string, part: string): readonly number[] {
  const lines: number[] = [];
  let [line, from] = [1, 0];
  for (let at = text.indexOf(part); at >= 0 && lines.length < MAX_OCCURRENCES;) {
    line += text.slice(from, at).split('\n').length - 1;
    lines.push(line);
    from = at;
    // A line may have a million of them.
    const end = text.indexOf('\n', at);
    at = end < 0 ? -1 : text.indexOf(part, end + 1);
  }
  return lines;
}
