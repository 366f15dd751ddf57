import { RouxError } from '../errors.ts';
import { BasicMemoryReader } from './basic-memory/basic-memory.ts';
import { ChatGptReader } from './chats/chatgpt/chatgpt.ts';
import { ClaudeReader } from './chats/claude/claude.ts';
import { detectSources, MAX_FAULTS } from './detect.ts';
import type { Detection } from './detect.ts';
import type { ExportReader, NoteSource, Source } from './imported.ts';
import { LogseqReader } from './logseq/logseq.ts';
import { NotionReader } from './notion/notion.ts';
import type { SourceFiles } from './source/source-files.ts';

/** Returns the reader for an export. */
export function openReader(source: NoteSource, files: SourceFiles): ExportReader {
  switch (source) {
    case 'chatgpt':
      return new ChatGptReader(files);
    case 'claude':
      return new ClaudeReader(files);
    case 'notion':
      return new NotionReader(files);
    case 'logseq':
      return new LogseqReader(files);
    case 'basic-memory':
      return new BasicMemoryReader(files);
  }
}

/**
 * Returns the source of an export: the one that was named, if the export has a sign of it, else the only one that it can be. Throws
 * `INVALID_PARAMS`, with what was found.
 */
export async function chooseSource(files: SourceFiles, named: Source | undefined): Promise<Source> {
  const { found, faults } = await detectSources(files);
  const fitting = found.filter(({ source, isCertain }) => (named === undefined ? isCertain : source === named));
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only.source;
  throw new RouxError('INVALID_PARAMS', `${files.name} ${describe({ found, faults: [...files.left, ...faults] }, named)}`, {
    path: files.name,
  });
}

function describe({ found, faults }: Detection, named: Source | undefined): string {
  const left = faults.slice(0, MAX_FAULTS).map(({ path, reason }) => ` ${path} is left out: ${reason}.`);
  const signs = found.map(({ sign }) => sign).join(', and ');
  if (named !== undefined)
    return `holds nothing of ${named}; ${signs === '' ? 'nothing else that is known was found' : `found: ${signs}`}.${left.join('')}`;
  if (found.length === 0)
    return `holds no export that is known here: no conversations.json of ChatGPT or Claude, no pages of Notion, no logseq/config.edn and no .beads/issues.jsonl.${left.join('')}`;
  return `can be several things: ${signs}. Say which one with --from ${found.map(({ source }) => source).join(' or --from ')}.`;
}
