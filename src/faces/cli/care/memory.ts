import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RouxError } from '../../../errors.ts';
import * as keys from '../../../ops/memory/stable-keys.ts';
import { exportMemory } from '../../../ops/memory/transfer/export.ts';
import { importMemory } from '../../../ops/memory/transfer/import.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { defineOptions, UsageError } from '../options.ts';
import type { OptionValues } from '../options.ts';
import { formatArgument, describeFileError } from '../show.ts';
import { readNamedFile, requirePlainFile } from './plain-file.ts';

/** `roux import`: imports the memory of another server. */
export const importCommand = defineOperationCommand({
  operation: importMemory,
  name: 'import',
  summary: 'bring a memory.jsonl into the vault (- reads stdin); repeating it changes nothing',
  group: 'memory',
  positionals: [{ name: 'memory.jsonl', completes: 'file' }],
  async prepare(_, context) {
    const [file = '-'] = context.args;
    return { text: file === '-' ? await context.program.readInput() : await readText(context, file) };
  },
  show({ problems, entities, observations, relations }, { args: [file = '-'], note, print }) {
    for (const problem of problems) note(`${formatArgument(file)}: ${problem}`);
    print(`${entities} entities, ${observations} more observations and ${relations} relations are new.`);
  },
  status: ({ problems }) => (problems.length === 0 ? DONE : FINDINGS),
});

async function readText(context: Pick<CommandContext, 'host' | 'program'>, file: string): Promise<string> {
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
export const exportCommand = defineOperationCommand({
  operation: exportMemory,
  name: 'export',
  summary: 'the memory as one file: memory-jsonl (default), json or graphml',
  group: 'memory',
  options: {
    format: { help: 'format of the file', default: 'memory-jsonl' },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'write there instead of to stdout', completes: 'file' },
  },
  async run(context, args) {
    const { output } = context.options;
    if (output !== undefined)
      requirePlainFile(resolve(context.program.cwd, output), context.host.root, { isReadOnly: context.host.config.readOnly });
    const { output: text } = await context.run(exportMemory, { format: 'memory-jsonl', ...args });
    if (output === undefined) context.printText(`${text}\n`);
    else await writeText(context.program.cwd, output, `${text}\n`);
    return DONE;
  },
});

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

type MakeKey = (text: string, options: OptionValues<typeof KEY_OPTIONS>) => string;

const KEYS: Readonly<Record<keys.KeyKind, MakeKey>> = {
  run: (cmd, { at, ...options }) => keys.runKey({ ...toRun(cmd, options), at: required('at', at) }),
  cmd: (cmd, options) => keys.commandKey(toRun(cmd, options)),
  err: keys.errorKey,
  warn: keys.warningKey,
  dep: (name, { version }) => keys.dependencyKey({ name, version }),
  fix: (issue, { strategy, changes }) =>
    keys.fixKey({ issue, strategy: fromJson(required('strategy', strategy)), changes: fromJson(required('changes', changes)) }),
  doc: keys.docKey,
  mode: (name, { version }) => keys.modeKey({ name, version }),
  tool: (name, { version }) => keys.toolKey({ name, version }),
  file: keys.fileKey,
  concept: keys.conceptKey,
};

/** `roux key`: derives stable keys, so that every client uses the same names. */
export const key = defineCommand({
  name: 'key',
  summary: `the stable name of a thing by the idempotency policy; kinds: ${keys.KEY_KINDS.join(', ')}`,
  group: 'memory',
  positionals: [
    { name: 'kind', choices: keys.KEY_KINDS },
    { name: 'text', isJoined: true },
  ],
  options: KEY_OPTIONS,
  run({ args: [kind = '', text = ''], options, isJson, print, printJson }) {
    const made = KEYS[kind as keys.KeyKind](text, options);
    if (isJson) printJson({ key: made, version: keys.KEY_VERSION });
    else print(made);
    return Promise.resolve(DONE);
  },
});

function toRun(cmd: string, { cwd, exit, stdout, stderr }: OptionValues<typeof KEY_OPTIONS>) {
  return { cmd, cwd, exit, stdoutHead: stdout, stderrHead: stderr };
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`this kind of key needs --${name}`);
  return value;
}

/** Parses JSON, and returns the text itself if it is not JSON. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
