import { isRecord } from '../is-record.ts';
import { readElements } from './source/json-elements.ts';
import { faultOf, readStart } from './source/read-file.ts';
import { sourceName } from './source/source-path.ts';
import type { LeftOut, SourceFile, SourceFiles } from './source/source-files.ts';
import { conversationFiles } from './chats/conversations.ts';
import { isIssuesFile } from './beads/read-issues.ts';
import { NOTION_NAME } from './notion/names.ts';
import type { Source } from './imported.ts';

/** What an export looks like, and by what. */
interface Detected {
  readonly source: Source;
  /** Such as "conversations.json of ChatGPT". */
  readonly sign: string;
  /** Nothing else looks like this. */
  readonly isCertain: boolean;
}

/** How many notes are looked at for the mark of basic-memory. */
const MAX_LOOKED_AT = 50;
const START_BYTES = 4096;
/** Files that an error names, because they may be what is missed. */
export const MAX_FAULTS = 3;

/** What an export may be of, and why files that would say more cannot be read. */
export interface Detection {
  readonly found: readonly Detected[];
  readonly faults: readonly LeftOut[];
}

/** Looks for the signs of all programs. */
export async function detectSources(source: SourceFiles): Promise<Detection> {
  const found: Detected[] = [];
  const faults: LeftOut[] = [];
  const leave: Leave = ({ path }, reason) => {
    if (faults.length < MAX_FAULTS) faults.push({ path, reason });
  };
  const kinds = new Set<Source>();
  for (const file of conversationFiles(source)) {
    const kind = await chatOf(file, leave);
    if (kind !== null && !kinds.has(kind))
      found.push({ source: kind, sign: `${file.path} of ${kind === 'claude' ? 'Claude' : 'ChatGPT'}`, isCertain: true });
    if (kind !== null) kinds.add(kind);
  }
  const { files } = source;
  const named = files.find(({ path }) => NOTION_NAME.test(sourceName(path)));
  if (named !== undefined) found.push({ source: 'notion', sign: `${sourceName(named.path)} with an id of Notion`, isCertain: true });
  const config = files.find(({ path }) => /(?:^|\/)logseq\/config\.edn$/.test(path));
  if (config !== undefined) found.push({ source: 'logseq', sign: `${config.path} of Logseq`, isCertain: true });
  const issues = await findIssues(files, leave);
  if (issues !== null) found.push({ source: 'beads', sign: `${issues.path} of beads`, isCertain: true });
  const note = config === undefined ? await findPermalink(files, leave) : null;
  // Generators of sites have permalinks too.
  if (note !== null)
    found.push({ source: 'basic-memory', sign: `${note.path} with a permalink, as basic-memory has them`, isCertain: false });
  return { found, faults };
}

type Leave = (file: SourceFile, reason: string) => void;

async function chatOf(file: SourceFile, leave: Leave): Promise<Source | null> {
  for await (const element of readElements(file)) {
    if (element.kind === 'left') leave(file, element.reason);
    else if (isRecord(element.value))
      return Array.isArray(element.value['chat_messages']) ? 'claude' : isRecord(element.value['mapping']) ? 'chatgpt' : null;
  }
  return null;
}

async function findIssues(files: readonly SourceFile[], leave: Leave): Promise<SourceFile | null> {
  for (const file of files.filter(({ path }) => /\.jsonl$/i.test(path) && path.split('/').length <= 2))
    if ((await orLeave(file, isIssuesFile(file), leave)) === true) return file;
  return null;
}

async function findPermalink(files: readonly SourceFile[], leave: Leave): Promise<SourceFile | null> {
  for (const file of files.filter(({ path }) => /\.md$/i.test(path)).slice(0, MAX_LOOKED_AT)) {
    const start = (await orLeave(file, readStart(file, START_BYTES), leave))?.toString('utf8') ?? '';
    if (/^---\r?\n/.test(start) && /^permalink: *\S/m.test(start)) return file;
  }
  return null;
}

async function orLeave<T>(file: SourceFile, reading: Promise<T>, leave: Leave): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    leave(file, faultOf(error));
    return null;
  }
}
