import { stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { SOURCES } from '../../../importing/imported.ts';
import * as keys from '../../../ops/memory/stable-keys.ts';
import { exportVectors, importVectors } from '../../../ops/care/vectors.ts';
import { exportMemory } from '../../../ops/memory/transfer/export.ts';
import { importMemory } from '../../../ops/memory/transfer/import.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { defineOptions, UsageError } from '../options.ts';
import type { OptionValues } from '../options.ts';
import { count, formatArgument, describeFileError, showWarnings } from '../show.ts';
import { readNamedFile, requirePlainFile } from './plain-file.ts';

/** In base64, they have to fit into one string. */
const MAX_VECTOR_FILE_BYTES = 300 * 1024 * 1024;

/** `roux import`: imports the memory of another server, vectors, or what another program exported. */
export const importCommand = defineOperationCommand({
  operation: importMemory,
  name: 'import',
  summary: 'bring an export of another program, or a memory.jsonl, into the vault; repeating it changes nothing',
  usage: '<path>',
  details: [
    `An export is a folder or a zip of ${SOURCES.join(', ')}. What it would change is shown first, and written when you agree, or at once with --yes.`,
    'A memory.jsonl (- reads stdin) is brought in at once.',
  ],
  group: 'memory',
  positionals: [{ name: 'path', completes: 'file' }],
  options: {
    from: { type: 'string', value: 'PROGRAM', help: 'the program of the export', choices: SOURCES },
    into: { type: 'string', value: 'FOLDER', help: 'the folder of the vault for an export; for beads the project', completes: 'folder' },
    yes: { type: 'boolean', help: 'import an export without asking' },
    'dry-run': { type: 'boolean', help: 'only show what would change' },
    force: { type: 'boolean', help: 'take what the export has where it was changed here too, and bring back what was deleted here' },
    vectors: { type: 'boolean', help: 'take vectors for search by meaning from a file of "export --vectors"' },
  },
  isReadOnly: (options) => options['dry-run'] === true,
  async run(context) {
    const [file = '-'] = context.args;
    const { from, into, yes, force, vectors, 'dry-run': dryRun } = context.options;
    if (from !== undefined || (vectors !== true && (await isExport(context, file)))) {
      if (vectors === true) throw new UsageError('--vectors is for a file of "export --vectors", and not for an export of another program');
      const { runImport } = await import('../imports/run-import.ts');
      return runImport(context, file, { from, into, isAgreed: yes === true, isDryRun: dryRun === true, isForced: force === true });
    }
    const given = Object.entries({ into, yes, force }).find(([, value]) => value !== undefined && value !== false);
    if (given !== undefined)
      throw new UsageError(`--${given[0]} is for an export of another program; a memory.jsonl is brought in at once`);
    if (vectors === true) return runImportVectors(context, file);
    const text = file === '-' ? await context.program.readInput() : await readText(context, file);
    const { output, warnings } = await context.run(importMemory, { text });
    const { problems, entities, observations, relations } = output;
    if (context.isJson) context.printJson(output);
    else {
      for (const problem of problems) context.note(`${formatArgument(file)}: ${problem}`);
      const are = dryRun === true ? 'would be' : 'are';
      const made = entities === 1 ? '1 entity' : `${entities} entities`;
      context.print(`${made}, ${count(observations, 'more observation')} and ${count(relations, 'relation')} ${are} new.`);
    }
    showWarnings(context, warnings);
    return problems.length === 0 ? DONE : FINDINGS;
  },
});

/** Whether a path is an export of another program: a folder or a zip, or JSON, which no memory is; if it is not there, by its name. */
async function isExport({ program }: Pick<CommandContext, 'program'>, path: string): Promise<boolean> {
  if (path === '-') return false;
  const state = await stat(resolve(program.cwd, path)).catch(() => null);
  return state?.isDirectory() === true || /\.(?:zip|json)$/i.test(path) || /(?:^|[/\\])\.beads[/\\][^/\\]+$/.test(path);
}

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
