import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RouxError } from '../../../errors.ts';
import * as keys from '../../../ops/memory/stable-keys.ts';
import { EXPORT_FORMATS, exportMemory } from '../../../ops/memory/transfer/export.ts';
import type { ExportFormat } from '../../../ops/memory/transfer/export.ts';
import { importMemory } from '../../../ops/memory/transfer/import.ts';
import { BAD_USAGE, defineCommand, defineOptions, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { formatArgument, showWarnings, describeFileError } from '../show.ts';
import { readNamedFile, requirePlainFile } from './plain-file.ts';

/** `roux import`: imports the memory of another server. */
export const importCommand = defineCommand({
  name: 'import',
  summary: 'bring a memory.jsonl into the vault (- reads stdin); repeating it changes nothing',
  usage: '<memory.jsonl>',
  group: 'memory',
  arity: 1,
  completes: ['file'],
  async run(context) {
    const file = context.args[0] ?? '-';
    const text = file === '-' ? await context.readInput() : await readText(context, file);
    const { output: imported, warnings } = await context.run(importMemory, { text });
    showWarnings(context, warnings);
    if (context.isJson) context.printJson(imported);
    else {
      for (const problem of imported.problems) context.note(`${formatArgument(file)}: ${problem}`);
      context.print(
        `${imported.entities} entities, ${imported.observations} more observations and ${imported.relations} relations are new.`,
      );
    }
    return imported.problems.length === 0 ? DONE : FINDINGS;
  },
});

async function readText(context: CommandContext, file: string): Promise<string> {
  return (await readNamedFile(context, file, 'the memory.jsonl of the other server')).bytes.toString('utf8');
}

async function writeText(cwd: string, file: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(cwd, file), text);
  } catch (error) {
    const message = `${formatArgument(file)} cannot be written (${describeFileError(error)}); name a file in a folder that is there.`;
    throw new RouxError('IO_ERROR', message, { path: file }, { cause: error });
  }
}

/** `roux export`: writes the memory as one file. */
export const exportCommand = defineCommand({
  name: 'export',
  summary: 'the memory as one file: memory-jsonl (default), json or graphml',
  usage: '',
  group: 'memory',
  arity: 0,
  options: {
    format: { type: 'string', value: 'FORMAT', help: EXPORT_FORMATS.join(', '), completes: EXPORT_FORMATS },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'write there instead of to stdout', completes: 'file' },
  },
  async run(context) {
    const { format = 'memory-jsonl', output } = context.options;
    if (!isFormat(format)) {
      context.note(`roux: there is no format "${formatArgument(format)}". Formats: ${EXPORT_FORMATS.join(', ')}.`);
      return BAD_USAGE;
    }
    if (output !== undefined) requirePlainFile(resolve(context.cwd, output), context.vaultRoot, { isReadOnly: context.config.readOnly });
    const { output: text } = await context.run(exportMemory, { format });
    if (output === undefined) context.printText(`${text}\n`);
    else await writeText(context.cwd, output, `${text}\n`);
    return DONE;
  },
});

function isFormat(text: string): text is ExportFormat {
  return (EXPORT_FORMATS as readonly string[]).includes(text);
}

const KEY_OPTIONS = defineOptions({
  cwd: { type: 'string', value: 'FOLDER', help: 'run, cmd: where it ran', completes: 'folder' },
  exit: { type: 'number', min: -2_147_483_648, max: 4_294_967_295, help: 'run, cmd: its exit status' },
  stdout: { type: 'string', value: 'TEXT', help: 'run, cmd: the head of its output' },
  stderr: { type: 'string', value: 'TEXT', help: 'run, cmd: the head of its error output' },
  at: { type: 'string', value: 'TIME', help: 'run: when it started, ISO 8601' },
  version: { type: 'string', value: 'V', help: 'dep, mode, tool: the version' },
  strategy: { type: 'string', value: 'JSON', help: 'fix: the strategy' },
  changes: { type: 'string', value: 'JSON', help: 'fix: the changes' },
});

/** `roux key`: derives stable keys, so that every client uses the same names. */
export const key = defineCommand({
  name: 'key',
  summary: `the stable name of a thing by the idempotency policy; kinds: ${keys.KEY_KINDS.join(', ')}`,
  usage: '<kind> <text>',
  group: 'memory',
  arity: 2,
  isJoined: true,
  completes: [keys.KEY_KINDS],
  options: KEY_OPTIONS,
  run(context) {
    const [kind = '', text = ''] = context.args;
    const made = makeKey(kind, text, context.options);
    if (made === null) {
      context.note(
        `roux: ${formatArgument(kind)} is no kind of key, or an option that it needs is missing. Kinds: ${keys.KEY_KINDS.join(', ')}; run needs --at, fix needs --strategy and --changes.`,
      );
      return Promise.resolve(BAD_USAGE);
    }
    print(context, made);
    return Promise.resolve(DONE);
  },
});

function print(context: CommandContext, made: string): void {
  if (context.isJson) context.printJson({ key: made, version: keys.KEY_VERSION });
  else context.print(made);
}

/** Returns the key, or null for an unknown kind or a missing option that the kind requires. */
function makeKey(kind: string, text: string, options: OptionValues<typeof KEY_OPTIONS>): string | null {
  const { cwd, exit, stdout, stderr, at, version, strategy, changes } = options;
  const parts = { cmd: text, cwd, exit, stdoutHead: stdout, stderrHead: stderr };
  const named = { name: text, version };
  switch (kind) {
    case 'run':
      return at === undefined ? null : keys.runKey({ ...parts, at });
    case 'cmd':
      return keys.commandKey(parts);
    case 'err':
      return keys.errorKey(text);
    case 'warn':
      return keys.warningKey(text);
    case 'dep':
      return keys.dependencyKey(named);
    case 'fix':
      if (strategy === undefined || changes === undefined) return null;
      return keys.fixKey({ issue: text, strategy: fromJson(strategy), changes: fromJson(changes) });
    case 'doc':
      return keys.docKey(text);
    case 'mode':
      return keys.modeKey(named);
    case 'tool':
      return keys.toolKey(named);
    case 'file':
      return keys.fileKey(text);
    case 'concept':
      return keys.conceptKey(text);
    default:
      return null;
  }
}

/** Parses JSON, and returns the text itself if it is not JSON. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
