import type { Chart } from './chart.ts';

/** What colours tell. */
export type ColourBy = 'community' | 'folder' | 'type' | 'tag' | 'none';

export const COLOURS: readonly (readonly [ColourBy, string])[] = [
  ['community', 'Groups of links'],
  ['folder', 'Folders'],
  ['type', 'Types'],
  ['tag', 'Tags'],
  ['none', 'Nothing'],
];

/** What a person chose of the graph; all of it is in the address. */
export interface Choices {
  readonly around: string | null;
  readonly depth: 1 | 2 | 3;
  readonly query: string;
  readonly folder: string;
  readonly tag: string;
  readonly type: string;
  readonly colour: ColourBy;
  readonly orphans: boolean;
  readonly unresolved: boolean;
  readonly attachments: boolean;
  readonly arrows: boolean;
}

/** Reads the query of the address; what it does not say is as most want it. */
export function readChoices(query: URLSearchParams): Choices {
  const text = (name: string): string => query.get(name) ?? '';
  const depth = Number(text('depth'));
  return {
    around: query.get('around'),
    depth: depth === 2 || depth === 3 ? depth : 1,
    query: text('q'),
    folder: text('folder'),
    tag: text('tag'),
    type: text('type'),
    colour: COLOURS.find(([name]) => name === text('colour'))?.[0] ?? 'community',
    orphans: text('orphans') !== '0',
    unresolved: text('unresolved') === '1',
    attachments: text('attachments') === '1',
    arrows: text('arrows') === '1',
  };
}

/** Whether each node is shown. */
export function shownOf({ nodes, degree, links }: Chart, choices: Choices): Uint8Array {
  const { folder, tag, type } = choices;
  const isWanted = (place: number): boolean => {
    const node = nodes[place];
    if (node?.kind !== 'note') return false;
    if (folder !== '' && node.folder !== folder && !node.folder.startsWith(`${folder}/`)) return false;
    if (tag !== '' && !node.tags.some((each) => isTag(each, tag))) return false;
    return type === '' || node.type === type;
  };
  const shown = Uint8Array.from(nodes, (_, place) => (isWanted(place) ? 1 : 0));
  // What is no note is there for the notes that link to it.
  const besides = new Uint8Array(nodes.length);
  for (let at = 0; at < links.length; at += 2) if (shown[links[at] ?? 0] === 1) besides[links[at + 1] ?? 0] = 1;
  return shown.map((isShown, place) => {
    const kind = nodes[place]?.kind;
    if (kind === 'unresolved') return choices.unresolved ? (besides[place] ?? 0) : 0;
    if (kind === 'attachment') return choices.attachments ? (besides[place] ?? 0) : 0;
    return isShown === 1 && !choices.orphans && degree[place] === 0 ? 0 : isShown;
  });
}

/** A tag, or one nested below it, in any case. */
function isTag(tag: string, wanted: string): boolean {
  const [own, other] = [tag.toLowerCase(), wanted.toLowerCase()];
  return own === other || own.startsWith(`${other}/`);
}

/** The nodes that a text is in the title, the path or a tag of; null where nothing is looked for. */
export function matchesOf({ nodes }: Chart, query: string, found: ReadonlySet<string>): ReadonlySet<number> | null {
  const wanted = fold(query);
  if (wanted === '') return null;
  const matches = new Set<number>();
  for (const [place, { title, path, tags }] of nodes.entries()) {
    if (found.has(path) || [title, path, ...tags].some((text) => fold(text).includes(wanted))) matches.add(place);
  }
  return matches;
}

function fold(text: string): string {
  return text.trim().normalize('NFKC').toLowerCase();
}
