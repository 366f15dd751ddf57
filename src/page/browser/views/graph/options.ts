import type { GraphData } from './graph-model.ts';

/** The property that decides a node's color. */
export type ColorBy = 'community' | 'folder' | 'type' | 'tag' | 'none';

export const COLOR_BY_OPTIONS: readonly (readonly [ColorBy, string])[] = [
  ['community', 'Groups of links'],
  ['folder', 'Folders'],
  ['type', 'Types'],
  ['tag', 'Tags'],
  ['none', 'Nothing'],
];

/** The options of the graph. All of them are in the address. */
export interface GraphOptions {
  readonly around: string | null;
  readonly depth: 1 | 2 | 3;
  readonly query: string;
  readonly folder: string;
  readonly tag: string;
  readonly type: string;
  readonly color: ColorBy;
  readonly orphans: boolean;
  readonly unresolved: boolean;
  readonly attachments: boolean;
  readonly arrows: boolean;
}

/** Reads the options from the query of the address, with defaults for those it lacks. */
export function readOptions(query: URLSearchParams): GraphOptions {
  const text = (name: string): string => query.get(name) ?? '';
  const depth = Number(text('depth'));
  return {
    around: query.get('around'),
    depth: depth === 2 || depth === 3 ? depth : 1,
    query: text('q'),
    folder: text('folder'),
    tag: text('tag'),
    type: text('type'),
    color: COLOR_BY_OPTIONS.find(([name]) => name === text('colour'))?.[0] ?? 'community',
    orphans: text('orphans') !== '0',
    unresolved: text('unresolved') === '1',
    attachments: text('attachments') === '1',
    arrows: text('arrows') === '1',
  };
}

/** Returns 1 for each node that the options show, else 0. */
export function getVisible({ nodes, degree, links }: GraphData, options: GraphOptions): Uint8Array {
  const { folder, tag, type } = options;
  const isWanted = (index: number): boolean => {
    const node = nodes[index];
    if (node?.kind !== 'note') return false;
    if (folder !== '' && node.folder !== folder && !node.folder.startsWith(`${folder}/`)) return false;
    if (tag !== '' && !node.tags.some((each) => isTag(each, tag))) return false;
    return type === '' || node.type === type;
  };
  const shown = Uint8Array.from(nodes, (_, index) => (isWanted(index) ? 1 : 0));
  // Unresolved links and attachments are shown only beside a visible note that links to them.
  const linked = new Uint8Array(nodes.length);
  for (let at = 0; at < links.length; at += 2) if (shown[links[at] ?? 0] === 1) linked[links[at + 1] ?? 0] = 1;
  return shown.map((isShown, index) => {
    const kind = nodes[index]?.kind;
    if (kind === 'unresolved') return options.unresolved ? (linked[index] ?? 0) : 0;
    if (kind === 'attachment') return options.attachments ? (linked[index] ?? 0) : 0;
    return isShown === 1 && !options.orphans && degree[index] === 0 ? 0 : isShown;
  });
}

/** Tells whether a tag is the wanted one or nested below it, ignoring case. */
function isTag(tag: string, wanted: string): boolean {
  const [own, other] = [tag.toLowerCase(), wanted.toLowerCase()];
  return own === other || own.startsWith(`${other}/`);
}

/**
 * Returns the nodes that a query finds, best first: those that are named so, in the order of how much of the name it is, then the notes that
 * have its words by their `ranks`, then those with such a path or tag. Null if the query is empty.
 */
export function findMatches({ nodes, degree }: GraphData, query: string, ranks: ReadonlyMap<string, number>): ReadonlySet<number> | null {
  const wanted = fold(query);
  if (wanted === '') return null;
  const matches: { readonly index: number; readonly order: number }[] = [];
  for (const [index, { title, path, tags }] of nodes.entries()) {
    const named = rankName(fold(title), wanted);
    const rank = ranks.get(path);
    if (named !== null) matches.push({ index, order: named });
    else if (rank !== undefined) matches.push({ index, order: 3 + rank });
    else if ([path, ...tags].some((text) => fold(text).includes(wanted))) matches.push({ index, order: Infinity });
  }
  const byLinks = (a: number, b: number): number => (degree[b] ?? 0) - (degree[a] ?? 0) || a - b;
  matches.sort((a, b) => (a.order === b.order ? byLinks(a.index, b.index) : a.order - b.order));
  return new Set(matches.map(({ index }) => index));
}

/** Returns 0 for the whole name, 1 for its start, 2 for a part of it, else null. */
function rankName(name: string, wanted: string): number | null {
  const at = name.indexOf(wanted);
  if (at === -1) return null;
  return at > 0 ? 2 : name === wanted ? 0 : 1;
}

function fold(text: string): string {
  return text.trim().normalize('NFKC').toLowerCase();
}
