import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RouxError } from '../../../errors.ts';
import * as keys from '../../../ops/memory/stable-keys.ts';
import { exportVectors, importVectors } from '../../../ops/care/vectors.ts';
import { exportMemory } from '../../../ops/memory/transfer/export.ts';
import { importMemory } from '../../../ops/memory/transfer/import.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { defineOptions, UsageError } from '../options.ts';
import type { OptionValues } from '../options.ts';
import { formatArgument, describeFileError, showWarnings } from '../show.ts';
import { readNamedFile, requirePlainFile } from './plain-file.ts';

/** In base64, they have to fit into one string. */
const MAX_VECTOR_FILE_BYTES = 300 * 1024 * 1024;

/** `roux import`: imports the memory of another server, or vectors. */
export const importCommand = defineOperationCommand({
  operation: importMemory,
  name: 'import',
  summary: 'bring a memory.jsonl into the vault (- reads stdin); repeating it changes nothing',
  group: 'memory',
  positionals: [{ name: 'memory.jsonl', completes: 'file' }],
  options: { vectors: { type: 'boolean', help: 'take vectors for search by meaning from a file of "export --vectors"' } },
  async run(context) {
    const [file = '-'] = context.args;
    if (context.options.vectors) return runImportVectors(context, file);
    const text = file === '-' ? await context.program.readInput() : await readText(context, file);
    const { output, warnings } = await context.run(importMemory, { text });
    const { problems, entities, observations, relations } = output;
    if (context.isJson) context.printJson(output);
    else {
      for (const problem of problems) context.note(`${formatArgument(file)}: ${problem}`);
      context.print(`${entities} entities, ${observations} more observations and ${relations} relations are new.`);
    }
    showWarnings(context, warnings);
    return problems.length === 0 ? DONE : FINDINGS;
  },
});

async function runImportVectors(context: CommandContext, file: string): Promise<Status> {
  const { bytes } = await readNamedFile(context, file, 'a file of "roux export --vectors"', MAX_VECTOR_FILE_BYTES);
  const { output, warnings } = await context.run(importVectors, { base64: bytes.toString('base64') });
  if (context.isJson) context.printJson(output);
  else context.print(`${output.added} of ${output.vectors} vectors are new.`);
  showWarnings(context, warnings);
  return DONE;
}

async function readText(context: Pick<CommandContext, 'host' | 'program'>, file: string): Promise<string> {
  return (await readNamedFile(context, file, 'the memory.jsonl of the other server')).bytes.toString('utf8');
}

async function writeNamedFile(cwd: string, file: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(resolve(cwd, file), content);
  } catch (error) {
    const message = `${formatArgument(file)} cannot be written (${describeFileError(error)}); name a file in a folder that is there.`;
    throw new RouxError('IO_ERROR', message, { path: file }, { cause: error });
  }
}

/** `roux export`: writes the memory, or vectors, as one file. */
export const exportCommand = defineOperationCommand({
  operation: exportMemory,
  name: 'export',
  summary: 'the memory as one file: memory-jsonl (default), json or graphml',
  group: 'memory',
  options: {
    format: { help: 'format of the file', default: 'memory-jsonl' },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'write there instead of to stdout', completes: 'file' },
    vectors: { type: 'string', value: 'FILE', help: 'write the vectors for search by meaning there instead', completes: 'file' },
  },
  async run(context, args) {
    const { output, vectors } = context.options;
    const file = vectors ?? output;
    if (file !== undefined)
      requirePlainFile(resolve(context.program.cwd, file), context.host.root, { isReadOnly: context.host.config.readOnly });
    if (vectors !== undefined) return runExportVectors(context, vectors);
    const { output: text } = await context.run(exportMemory, { format: 'memory-jsonl', ...args });
    if (output === undefined) context.printText(`${text}\n`);
    else await writeNamedFile(context.program.cwd, output, `${text}\n`);
    return DONE;
  },
});

async function runExportVectors(context: CommandContext, file: string): Promise<Status> {
  const { base64, vectors } = (await context.run(exportVectors, {})).output;
  await writeNamedFile(context.program.cwd, file, Buffer.from(base64, 'base64'));
  if (context.isJson) context.printJson({ vectors });
  else context.print(`${vectors} ${vectors === 1 ? 'vector was' : 'vectors were'} written.`);
  return DONE;
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
