import * as z from 'zod';
import type { Vault } from '../../../vault/vault.ts';
import { normalizeId } from '../../../note/path.ts';
import { compareText } from '../../../note/text.ts';
import { defineOperation } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { answer, MemoryFault } from './fault.ts';
import type { MemoryAnswer } from './fault.ts';
import { filesInside, find, folderOnDisk, readFolder, readPath } from './memory-path.ts';
import type { MemoryPath } from './memory-path.ts';
import { linesOf, numbered, readText } from './memory-text.ts';

/** Files and folders of a listing, and its depth. */
const MAX_LISTED = 1_000;
const MAX_DEPTH = 2;
/** Characters of a file that one answer shows. */
const MAX_SHOWN_CHARACTERS = 60_000;
const UNITS = ['B', 'K', 'M', 'G'];

export const memoryInput = z.strictObject({
  folder: z.string().max(1_000).describe('The folder of the vault that is /memories'),
  call: z.record(z.string(), z.unknown()).describe('The input of the tool, as the model gave it'),
});

/** The command `view` of the memory tool of the Claude API (O-05). */
export const viewMemory = defineOperation({
  name: 'memory_tool_view',
  toolset: null,
  title: 'Memory tool: view',
  summary: 'A file below /memories with numbered lines, or what is in a folder of it, two levels deep.',
  effect: 'read',
  isIdempotent: true,
  input: memoryInput,
  run: ({ vault }, { folder: given, call }) => {
    const named = readFolder(given);
    return answer(async () => {
      await vault.refresh('changed');
      const folder = folderOnDisk(vault.graph, named);
      const place = readPath(call['path'], 'path', folder);
      const found = find(vault, vault.graph, place, folder);
      if (found === null) throw new MemoryFault(`The path ${place.shown} does not exist. Please provide a valid path.`);
      const content =
        found.kind === 'folder'
          ? await listFolder(vault, place, { path: found.path, files: filesInside(vault, found.files, folder) })
          : showFile(vault, { ...place, path: found.path }, call['view_range']);
      return { content, is_error: false } satisfies MemoryAnswer;
    });
  },
});

/** Lists files and folders with their sizes; of a folder that of all of its files. */
async function listFolder(
  { graph, notes }: Vault,
  { shown }: MemoryPath,
  { path, files }: { readonly path: string; readonly files: AsyncIterable<string> },
): Promise<string> {
  const sizes = new Map<string, number>();
  let total = 0;
  for await (const file of files) {
    const size = graph.get(file)?.stamp.size ?? notes.timesOf(file)?.size ?? 0;
    total += size;
    const names = file.slice(path.length + 1).split('/');
    for (let depth = 1; depth <= Math.min(names.length, MAX_DEPTH); depth += 1) {
      const name = `${normalizeId(names.slice(0, depth).join('/'))}${depth < names.length ? '/' : ''}`;
      sizes.set(name, (sizes.get(name) ?? 0) + size);
    }
  }
  const listed = [...sizes].sort(([a], [b]) => compareText(a, b));
  const more = listed.length > MAX_LISTED ? [`(${listed.length - MAX_LISTED} more: view a folder of it)`] : [];
  return [
    `Here're the files and directories up to 2 levels deep in ${shown}, excluding hidden items and node_modules:`,
    `${inUnits(total)}\t${shown}`,
    ...listed.slice(0, MAX_LISTED).map(([name, size]) => `${inUnits(size)}\t${shown}/${name}`),
    ...more,
  ].join('\n');
}

/** Formats a size as `0B`, `512B`, `5.5K`. */
function inUnits(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && unit < UNITS.length - 1; unit += 1) size /= 1024;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${UNITS[unit] ?? ''}`;
}

function showFile(vault: Vault, place: MemoryPath, range: unknown): string {
  const { shown } = place;
  const all = linesOf(readText(vault, place).text, shown);
  const { from, to } = readRange(range, all.length);
  let last = from - 1;
  for (let left = MAX_SHOWN_CHARACTERS; last < to && left > 0; last += 1) left -= (all[last]?.length ?? 0) + 1;
  const lines = all.slice(from - 1, last).map((line) => shorten(line, MAX_SHOWN_CHARACTERS));
  const rest = last < to ? `\n(The file has ${all.length} lines. View the others with view_range: [${last + 1}, ${to}].)` : '';
  return `Here's the content of ${shown} with line numbers:\n${numbered(lines, from)}${rest}`;
}

/** Reads `view_range`: the first and last line, of which -1 is the last of all. */
function readRange(range: unknown, count: number): { readonly from: number; readonly to: number } {
  if (range === undefined || range === null) return { from: 1, to: count };
  const [first, last] = Array.isArray(range) && range.length === 2 ? (range as readonly unknown[]) : [];
  const isValid = Number.isSafeInteger(first) && Number.isSafeInteger(last);
  const from = Math.max(1, Number(first));
  const to = last === -1 ? count : Math.min(count, Number(last));
  if (isValid && from <= count && to >= from) return { from, to };
  throw new MemoryFault(
    `Error: Invalid \`view_range\` parameter: ${shorten(JSON.stringify(range) ?? '', 100)}. It should be [first, last] within the range of lines of the file: [1, ${count}], or [first, -1]`,
  );
}
