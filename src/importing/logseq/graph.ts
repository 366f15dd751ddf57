import { MAX_PAGE_BYTES } from '../source/limits.ts';
import { readTextOrLeave } from '../source/read-file.ts';
import { sourceName } from '../source/source-path.ts';
import type { SourceFile, SourceFiles } from '../source/source-files.ts';
import type { Tally } from '../imported.ts';
import { cleanLine, cleanText } from '../text/clean.ts';
import { formatDay, journalDay, readConfig } from './config.ts';
import type { LogseqConfig } from './config.ts';
import { readPageProperties } from './properties.ts';

/** A page or journal. */
export interface LogseqPage {
  /** The path in the graph, which is what Logseq knows a page by. */
  readonly id: string;
  readonly file: SourceFile;
  /** The name with its namespace, as links write it. */
  readonly name: string;
  readonly title: string;
  readonly folder: string;
  readonly aliases: readonly string[];
}

/** A block that others refer to. */
export interface LogseqBlock {
  readonly page: string;
  /** The beginning of its text. */
  readonly text: string;
}

const MAX_CONFIG_BYTES = 1024 * 1024;
const BLOCK_ID = /^[ \t]*(?:[-*][ \t]+)?id:: *([0-9a-f]{8}-[0-9a-f-]{27})\s*$/i;

/** Pages, blocks and other files of a graph. */
export class LogseqGraph {
  /** The folder of the graph in the export, with a slash; `''` for its top. */
  readonly top: string;
  readonly pages: LogseqPage[] = [];
  readonly files: SourceFile[] = [];
  readonly blocks = new Map<string, LogseqBlock>();
  readonly #byName = new Map<string, string>();

  constructor(top: string) {
    this.top = top;
  }

  /** Returns the id of the page with this name, title or alias. */
  find(name: string): string | null {
    return this.#byName.get(foldName(name)) ?? null;
  }

  name(id: string, names: readonly string[]): void {
    for (const name of names) if (name.trim() !== '' && !this.#byName.has(foldName(name))) this.#byName.set(foldName(name), id);
  }
}

/** Lists a graph: what its pages are called, and which blocks have ids. */
export async function readGraph({ files }: SourceFiles, tally: Tally): Promise<LogseqGraph> {
  const configFile = files.find(({ path }) => /(?:^|\/)logseq\/config\.edn$/.test(path));
  const top = (configFile?.path ?? '').replace(/logseq\/config\.edn$/, '');
  const edn = configFile === undefined ? null : await readTextOrLeave(configFile, MAX_CONFIG_BYTES, tally);
  const config = readConfig(edn ?? '');
  const graph = new LogseqGraph(top);
  const later: { readonly id: string; readonly names: readonly string[] }[] = [];
  for (const file of files) {
    const path = file.path.startsWith(top) ? file.path.slice(top.length) : null;
    if (path === null) {
      tally.leave(file.path, `it is not in the graph ${top.slice(0, -1)}, which is imported; import its folder by itself`);
      continue;
    }
    // Settings, backups and what was deleted.
    if (path.startsWith('logseq/')) continue;
    const [folder = ''] = path.split('/', 1);
    const isPage = /\.md$/i.test(path) && (folder === config.pages || folder === config.journals);
    if (!isPage) {
      graph.files.push(file);
      continue;
    }
    const given = await readTextOrLeave(file, MAX_PAGE_BYTES, tally);
    if (given === null) continue;
    const text = cleanText(given);
    const page = toPage(file, path, { text, config });
    graph.pages.push(page);
    graph.name(page.id, [page.name]);
    later.push({ id: page.id, names: namesOf(page, path, config) });
    findBlocks(text, page.id, graph.blocks);
  }
  // The name of a page goes before an alias of another one.
  for (const { id, names } of later) graph.name(id, names);
  return graph;
}

function toPage(file: SourceFile, path: string, { text, config }: { readonly text: string; readonly config: LogseqConfig }): LogseqPage {
  const stem = sourceName(path).replace(/\.md$/i, '');
  const day = path.startsWith(`${config.journals}/`) ? journalDay(stem, config.fileFormat) : null;
  const { properties } = readPageProperties(text);
  const aliases = (properties.get('alias') ?? properties.get('aliases') ?? '')
    .split(',')
    .map((alias) => cleanLine(alias.replace(/[[\]#]/g, '')));
  const given = aliases.filter((alias) => alias !== '');
  if (day !== null)
    return { id: path, file, name: formatDay(day, config.titleFormats[0] ?? ''), title: day, folder: 'journals', aliases: given };
  const name = cleanLine(properties.get('title') ?? decodeName(stem), 'Untitled');
  const parts = name.split('/').filter((part) => part.trim() !== '');
  const title = parts.at(-1)?.trim() ?? name;
  const folder = ['pages', ...parts.slice(0, -1)].join('/');
  return { id: path, file, name, title, folder, aliases: [...(parts.length > 1 ? [name] : []), ...given] };
}

function namesOf({ aliases, title, folder }: LogseqPage, path: string, config: LogseqConfig): readonly string[] {
  const stem = sourceName(path).replace(/\.md$/i, '');
  const days = folder === 'journals' ? config.titleFormats.map((format) => formatDay(title, format)) : [];
  return [...aliases, decodeName(stem), ...days];
}

/** Returns the name of a page by that of its file: `a___b` and `a%2Fb` are `a/b`. */
function decodeName(stem: string): string {
  const parts = stem.replaceAll('___', '/');
  try {
    return decodeURIComponent(parts);
  } catch {
    return parts.replace(/%2F/gi, '/');
  }
}

/** Finds the blocks that have an id, which stands on a line below their text. */
function findBlocks(text: string, page: string, blocks: Map<string, LogseqBlock>): void {
  let last = '';
  for (const line of text.split('\n')) {
    const id = BLOCK_ID.exec(line)?.[1]?.toLowerCase();
    if (id === undefined) {
      if (/^[ \t]*[-*] /.test(line)) last = line.replace(/^[ \t]*[-*] +/, '');
      continue;
    }
    // Where the id is all of the first line, the text is below it.
    if (/^[ \t]*[-*]/.test(line)) last = '';
    if (!blocks.has(id)) blocks.set(id, { page, text: cleanLine(last).slice(0, 80) });
  }
}

function foldName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
