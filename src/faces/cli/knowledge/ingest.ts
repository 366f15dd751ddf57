import { basename, extname } from 'node:path';
import { errorMessage, RouxError } from '../../../errors.ts';
import { ingestAll } from '../../../ops/knowledge/people/ingest-all.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { readNamedFile } from '../care/plain-file.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { defineOptions, UsageError } from '../options.ts';
import { count, formatArgument, showWarnings } from '../show.ts';
import { GROUP } from './show-fact.ts';

const SOURCES = ['text', 'json', 'message'] as const;

const ITEM_OPTIONS = defineOptions({
  source: { type: 'string', value: 'KIND', help: 'what it is, if its name does not say so', choices: SOURCES },
  name: { type: 'string', value: 'N', help: 'name of the episode; default: that of the file' },
});

const WANTED = 'a text, a JSON, or a .jsonl with an episode on each line';

/** `roux ingest`: adds texts to the knowledge graph and waits until they are processed. */
export const ingest = defineOperationCommand({
  operation: ingestAll,
  name: 'ingest',
  summary: 'bring a text, a JSON or a .jsonl of episodes into the knowledge graph (- reads stdin); repeating it changes nothing',
  group: 'knowledge',
  positionals: [{ name: 'file', completes: 'file' }],
  details: [
    'A file is one episode; a .jsonl has one on each line: {"source": "text", "body": "…", "reference_time": "…"}, with "extraction" if the facts are extracted already.',
    'Waits until each is completed or parked; exit status 1 where some are parked. They keep their text, and the same command tries them again.',
  ],
  options: {
    group: { ...GROUP, help: 'the group; default: the only one there is, else "default"' },
    source: ITEM_OPTIONS.source,
    'reference-time': { value: 'T', help: 'when it was said; default: when the file was saved, of stdin now' },
    name: ITEM_OPTIONS.name,
  },
  async run(context, args) {
    const file = context.args[0] ?? '-';
    const { items, savedAt, lines } = await readItems(context, file);
    try {
      const { output, warnings } = await context.run(ingestAll, {
        ...(savedAt === null ? {} : { reference_time: savedAt }),
        ...args,
        items,
      });
      showWarnings(context, warnings);
      if (context.isJson) context.printJson(output);
      else show(context, output);
      return output.parked.length === 0 ? DONE : FINDINGS;
    } catch (error) {
      throw locateError(error, file, lines);
    }
  },
});

function show({ print, note, paint }: CommandContext, { group_id: group, episodes, completed, parked }: AnswerOf<typeof ingestAll>): void {
  for (const { path, code, message } of parked)
    note(`${paint.yellow('parked')}  ${visibleLine(path)}: ${visibleLine(`${code}: ${message}`)}`);
  print(
    `${count(episodes, 'episode')} in the group ${group}: ${completed} completed${parked.length === 0 ? '' : `, ${parked.length} parked`}.`,
  );
}

interface Read {
  readonly items: readonly unknown[];
  /** The reference time of items that name none; null if each item must name its own. */
  readonly savedAt: string | null;
  /** The line number of each item, from 1; null for a single item. */
  readonly lines: readonly number[] | null;
}

async function readItems(context: CommandContext<typeof ITEM_OPTIONS>, file: string): Promise<Read> {
  const { options } = context;
  const kind = extname(file).toLowerCase();
  if (kind === '.jsonl' || kind === '.ndjson') {
    if (options.source !== undefined || options.name !== undefined)
      throw new UsageError('each line of a .jsonl says its own source and name; leave --source and --name out');
    const { bytes } = await readNamedFile(context, file, WANTED);
    return { ...readLines(file, toText(file, bytes)), savedAt: null };
  }
  const source = options.source ?? (kind === '.json' ? 'json' : 'text');
  if (file === '-') {
    const item = { source, body: await context.program.readInput(), ...(options.name === undefined ? {} : { name: options.name }) };
    return { items: [item], savedAt: new Date().toISOString(), lines: null };
  }
  const { bytes, savedAt } = await readNamedFile(context, file, WANTED);
  const name = options.name ?? basename(file, extname(file));
  return { items: [{ source, body: toText(file, bytes), name }], savedAt, lines: null };
}

/** Decodes UTF-8, and throws on invalid bytes, since they would be stored as something else. */
function toText(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new RouxError('INVALID_PARAMS', `${formatArgument(file)} is no text in UTF-8; convert it first.`, {}, { cause: error });
  }
}

function readLines(file: string, text: string): { readonly items: readonly unknown[]; readonly lines: readonly number[] } {
  const items: unknown[] = [];
  const lines: number[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    try {
      // Validated later, together with the other items.
      items.push(JSON.parse(line));
      lines.push(at + 1);
    } catch (error) {
      throw new RouxError(
        'INVALID_PARAMS',
        `${formatArgument(file)}, line ${at + 1}: no JSON (${errorMessage(error)}). Nothing was brought in.`,
      );
    }
  }
  if (items.length === 0) throw new RouxError('INVALID_PARAMS', `${formatArgument(file)} has no episode on any line.`);
  return { items, lines };
}

/** Rewrites an error about an item to name the line that the item is on. */
function locateError(error: unknown, file: string, lines: readonly number[] | null): unknown {
  if (!(error instanceof RouxError)) return error;
  const place = (at: number): string => (lines === null ? formatArgument(file) : `${formatArgument(file)}, line ${lines[at] ?? at + 1}`);
  const message = error.message
    .replace(/^ingest_all: /, '')
    .replace(/\bitems\[(\d+)\]\.?(\w*)/g, (_, at: string, field: string) => `${place(Number(at))}${field === '' ? '' : `: ${field}`}`);
  return new RouxError(error.code, message, error.details, { cause: error, retryable: error.retryable });
}
