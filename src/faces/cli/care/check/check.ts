import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { check as checkNotes } from '../../../../ops/care/check/check.ts';
import { DONE, FAILED, FINDINGS } from '../../command.ts';
import type { CommandContext } from '../../command.ts';
import { defineOperationCommand } from '../../operation-command.ts';
import { UsageError } from '../../options.ts';
import { formatArgument, showWarnings } from '../../show.ts';
import { installHook } from './install-hook.ts';
import { toMarkdown } from './markdown.ts';
import { toSarif } from './sarif.ts';
import { showText } from './text.ts';
import { countFailing, toJson } from './report.ts';

const FORMATS = ['text', 'json', 'sarif', 'markdown'] as const;

/** `roux check`: notes held against the code that they are about, for people, hooks and CI. */
export const check = defineOperationCommand({
  operation: checkNotes,
  name: 'check',
  summary: 'notes that their code has left behind, and what is broken in them: for people, hooks and CI',
  details: [
    'Looks for anchors (applies_to) to code that is gone, notes not confirmed since their code changed, broken frontmatter, stale notes and unresolved links. It writes nothing.',
    '--since takes a branch, a tag, a commit, HEAD~2, or main... for where this branch left main. Then only the notes are checked that the changes since touch.',
    'Exit status: 0 nothing that fails, 1 findings that fail (check.fail in the settings), 2 bad usage, 3 could not.',
  ],
  group: 'care',
  usage: '[path…]',
  positionals: [{ name: 'path', completes: 'file', isOptional: true }],
  isRepeated: true,
  isReadOnly: (options) => options['install-hook'] !== true,
  options: {
    since: { value: 'REF', help: 'only notes that the changes since this commit touch' },
    fail: { type: 'string', value: 'KIND,…', help: 'the kinds that fail; default: check.fail in the settings', setting: 'check.fail' },
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'output format; markdown is for a comment on a pull request',
      choices: FORMATS,
      default: 'text',
    },
    'install-hook': { type: 'boolean', help: 'instead: let git run the check before each commit of this repository' },
  },
  async run(context, { since }) {
    const { args, options, isJson, host } = context;
    if (options['install-hook'] === true) {
      if (args.length > 0 || since !== undefined) throw new UsageError('--install-hook goes with neither --since nor paths');
      return installHook(context);
    }
    if (isJson && (options.format ?? 'json') !== 'json')
      throw new UsageError(`--json and --format ${options.format ?? ''} exclude each other`);
    const format = isJson ? 'json' : (options.format ?? 'text');
    const paths = args.map((path) => toVaultPath(path, context));
    const { output: report, warnings } = await context.run(checkNotes, {
      ...(since === undefined ? {} : { since }),
      ...(paths.length === 0 ? {} : { paths }),
    });
    if (format === 'text') showText(report, context);
    else if (format === 'markdown') context.print(toMarkdown(report));
    else context.printJson(format === 'sarif' ? toSarif(report, host.version) : toJson(report));
    showWarnings(context, [...report.incomplete, ...warnings]);
    if (countFailing(report) > 0) return FINDINGS;
    return report.isCodeUnread ? FAILED : DONE;
  },
});

/** Returns the path from the vault of a file or folder that was named; that of a folder ends with "/", that of the vault is empty. */
function toVaultPath(path: string, { host, program: { cwd } }: Pick<CommandContext, 'host' | 'program'>): string {
  const named = resolve(cwd, path);
  const state = statSync(named, { throwIfNoEntry: false });
  if (state === undefined) throw new UsageError(`${formatArgument(path)} does not exist`);
  // The last part may be a link that is a note itself.
  const real = state.isDirectory() ? realpathSync(named) : join(realpathSync(dirname(named)), basename(named));
  const found = relative(realpathSync(host.root), real).split(sep).join('/');
  return state.isDirectory() && found !== '' ? `${found}/` : found;
}
