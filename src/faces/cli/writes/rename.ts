import { rename as renameAll } from '../../../ops/notes/rename/rename.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import type { Answer } from '../../../ops/session.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { UsageError, WRITE_OPTIONS } from '../options.ts';
import { showDiff, showWarnings } from '../show.ts';

const OPTIONS = { merge: { help: 'a folder may fill one that is there; no file is overwritten' }, ...WRITE_OPTIONS } as const;

/** `roux rename`: renames a note, file, folder, heading, block or tag, and updates the links to it. */
export const rename = defineOperationCommand({
  operation: renameAll,
  name: 'rename',
  summary: 'give a note, a file, "folder/", "note#heading", "note#^block" or "#tag" another name; links follow',
  details: ['More pairs may follow: all of them happen, or none. A name with "/" is a path, one that ends with "/" a folder.'],
  group: 'write',
  positionals: [{ name: 'ref', completes: 'reference' }, { name: 'name' }],
  isRepeated: true,
  canPick: true,
  options: OPTIONS,
  async run(context, options) {
    const { args } = context;
    if (args.length % 2 !== 0)
      throw new UsageError(`"${args.at(-1) ?? ''}" has no new name; give pairs of <ref> and <name>, and put several words in quotes`);
    const changes = args.flatMap((from, at) => (at % 2 === 0 ? [{ from, to: args[at + 1] ?? '' }] : []));
    const answer = await context.run(renameAll, { ...options, changes });
    const [only] = answer.output.renamed;
    const extra = changes.length > 1 || only === undefined ? {} : { path: pathOf(only.to) };
    return showRenamed(context, answer, {
      extra,
      lineOf: ({ from, to }) => (changes.length > 1 ? `${from} → ${to}` : describeRename(from, to)),
    });
  },
});

/** `roux move`: moves a file or folder, and updates the links to it. */
export const move = defineOperationCommand({
  operation: renameAll,
  name: 'move',
  summary: 'move a note, a file, or a folder named with "/" at its end; links follow',
  group: 'write',
  positionals: [
    { name: 'ref', completes: 'reference' },
    { name: 'folder', completes: 'place' },
  ],
  canPick: true,
  options: OPTIONS,
  async run(context, options) {
    const [ref = '', folder = ''] = context.args;
    if (ref.startsWith('#')) throw new UsageError(`"${ref}" is a tag, which lies in no folder; "roux rename" gives it another name`);
    if (/\.md$/i.test(folder))
      throw new UsageError(`"${folder}" is the name of a note, which "roux rename" takes; with "/" at its end it is a folder`);
    const answer = await context.run(renameAll, { ...options, changes: [{ from: ref, to: placeIn(folder, ref) }] });
    const bare = (path: string): string => path.replace(/\/$/, '');
    const [from, to] = [bare(answer.output.renamed[0]?.from ?? ''), bare(answer.output.renamed[0]?.to ?? '')];
    return showRenamed(context, answer, { extra: { from, to }, lineOf: () => `${from} → ${to}` });
  },
});

/** Returns the new path of a file or folder in a folder: `a/deep/` moved to `b` is `b/deep/`. A file keeps its name. */
function placeIn(folder: string, from: string): string {
  const into = folder === '/' || folder === '.' ? '' : `${folder.replace(/(?<!\/)\/+$/, '')}/`;
  const name = /(?<![^/])([^/]+)\/+$/.exec(from)?.[1];
  return name === undefined ? into || '/' : `${into}${name}/`;
}

function pathOf(place: string): string {
  return place.startsWith('#') ? place : (place.split('#')[0] ?? '');
}

/** Formats one rename the way it was requested. */
function describeRename(from: string, to: string): string {
  if (from.startsWith('#') || from.endsWith('/')) return `${from} → ${to}`;
  const [, path = '', part = ''] = /^([^#]+)#(.+)$/.exec(from) ?? [];
  return part === '' ? to : `${path}: ${part} → ${to.slice(to.lastIndexOf('#') + 1)}`;
}

function showRenamed(
  context: CommandContext,
  { output, warnings }: Answer<AnswerOf<typeof renameAll>>,
  {
    extra,
    lineOf,
  }: {
    /** Additional fields of the JSON, if a single file was renamed. */
    readonly extra: Readonly<Record<string, string>>;
    readonly lineOf: (renamed: { readonly from: string; readonly to: string }) => string;
  },
): Status {
  if (context.isJson) context.printJson({ ...extra, ...output, warnings: [...(output._warnings ?? []), ...warnings] });
  else {
    if (output.diff === undefined) for (const each of output.renamed) context.print(visibleLine(lineOf(each)));
    else showDiff(context, output.diff);
    if (output.renamed_omitted !== undefined) context.note(`… and ${output.renamed_omitted} more.`);
    showWarnings(context, [...(output._warnings ?? []), ...warnings]);
  }
  return DONE;
}
