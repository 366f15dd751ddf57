import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RouxError } from '../../../errors.ts';
import * as keys from '../../../ops/memory/stable-keys.ts';
import { EXPORT_FORMATS, exportMemory, importMemory } from '../../../ops/memory/transfer.ts';
import type { ExportFormat } from '../../../ops/memory/transfer.ts';
import { BAD_USAGE, defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { plain } from '../terminal.ts';

/** Brings the memory of another server into the vault. */
export const importCommand = defineCommand({
  name: 'import',
  summary: 'bring a memory.jsonl into the vault (- reads stdin); repeating it changes nothing',
  usage: '<memory.jsonl> [vault]',
  group: 'memory',
  arity: 1,
  async run(context) {
    const file = context.args[0] ?? '-';
    const text = file === '-' ? await context.readInput() : await readText(resolve(context.cwd, file));
    const imported = await importMemory(await context.context(), text);
    if (context.isJson) context.printJson(imported);
    else {
      for (const problem of imported.problems) context.note(`${plain(file)}: ${problem}`);
      context.print(
        `${imported.entities} entities, ${imported.observations} more observations and ${imported.relations} relations are new.`,
      );
    }
    return imported.problems.length === 0 ? DONE : FINDINGS;
  },
});

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RouxError('IO_ERROR', `${path} cannot be read; give the memory.jsonl of the other server.`, { path }, { cause: error });
  }
}

/** Writes the memory as one file. */
export const exportCommand = defineCommand({
  name: 'export',
  summary: 'the memory as one file: memory-jsonl (default), json or graphml',
  usage: '[vault]',
  group: 'memory',
  arity: 0,
  options: {
    format: { type: 'string', value: 'FORMAT', help: EXPORT_FORMATS.join(', ') },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'write there instead of to stdout' },
  },
  async run(context) {
    const format = String(context.options['format'] ?? 'memory-jsonl');
    if (!isFormat(format)) {
      context.note(`roux: there is no format "${plain(format)}". Formats: ${EXPORT_FORMATS.join(', ')}.`);
      return BAD_USAGE;
    }
    const text = exportMemory(await context.context(), format);
    const output = context.options['output'];
    if (typeof output === 'string') await writeFile(resolve(context.cwd, output), `${text}\n`);
    else context.print(text);
    return DONE;
  },
});

function isFormat(text: string): text is ExportFormat {
  return (EXPORT_FORMATS as readonly string[]).includes(text);
}

/** Makes stable keys, so that every client derives the same names. */
export const key = defineCommand({
  name: 'key',
  summary: `the stable name of a thing by the idempotency policy; kinds: ${keys.KEY_KINDS.join(', ')}`,
  usage: '<kind> <text>',
  group: 'memory',
  arity: 2,
  options: {
    cwd: { type: 'string', value: 'FOLDER', help: 'run, cmd: where it ran' },
    exit: { type: 'string', value: 'N', help: 'run, cmd: its exit status' },
    stdout: { type: 'string', value: 'TEXT', help: 'run, cmd: the head of its output' },
    stderr: { type: 'string', value: 'TEXT', help: 'run, cmd: the head of its error output' },
    at: { type: 'string', value: 'TIME', help: 'run: when it started, ISO 8601' },
    version: { type: 'string', value: 'V', help: 'dep, mode, tool: the version' },
    strategy: { type: 'string', value: 'JSON', help: 'fix: the strategy' },
    changes: { type: 'string', value: 'JSON', help: 'fix: the changes' },
  },
  run(context) {
    const [kind = '', text = ''] = context.args;
    const made = makeKey(kind, text, context.options);
    if (made === null) {
      context.note(
        `roux: ${plain(kind)} is no kind of key, or an option that it needs is missing. Kinds: ${keys.KEY_KINDS.join(', ')}; run needs --at, fix needs --strategy and --changes.`,
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

function makeKey(kind: string, text: string, options: OptionValues): string | null {
  const given = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
  };
  const optional = <K extends string>(name: K, value: string | undefined): { [key in K]?: string } =>
    (value === undefined ? {} : { [name]: value }) as { [key in K]?: string };
  const parts = {
    cmd: text,
    ...optional('cwd', given('cwd')),
    ...optional('exit', given('exit')),
    ...optional('stdoutHead', given('stdout')),
    ...optional('stderrHead', given('stderr')),
  };
  const named = { name: text, ...optional('version', given('version')) };
  switch (kind) {
    case 'run': {
      const at = given('at');
      return at === undefined ? null : keys.runKey({ ...parts, at });
    }
    case 'cmd':
      return keys.commandKey(parts);
    case 'err':
      return keys.errorKey(text);
    case 'warn':
      return keys.warningKey(text);
    case 'dep':
      return keys.dependencyKey(named);
    case 'fix': {
      const [strategy, changes] = [given('strategy'), given('changes')];
      return strategy === undefined || changes === undefined
        ? null
        : keys.fixKey({ issue: text, strategy: fromJson(strategy), changes: fromJson(changes) });
    }
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

/** JSON, or the text itself where it is none. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
