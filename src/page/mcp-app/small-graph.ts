/** A node of what a tool answered. */
export interface SmallNode {
  readonly id: string;
  readonly title: string;
  /** How it is drawn. */
  readonly kind: 'center' | 'note' | 'done' | 'open';
}

/** What a tool answered, as a few nodes and links between their places in the list; the first node is the one that was asked about. */
export interface SmallGraph {
  readonly shape: 'star' | 'chain' | 'tree';
  readonly nodes: readonly SmallNode[];
  readonly links: readonly { readonly from: number; readonly to: number }[];
  /** What there is besides. */
  readonly note: string;
  /** Of a project: its root, of which the tasks can be asked for. */
  readonly root?: string;
}

/** More nodes than this are not drawn. */
const MAX_DRAWN_NODES = 48;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** The value that a tool of roux answers: one text block of JSON. Null where there is none; throws its words where the call failed. */
export function parseResult(result: unknown): unknown {
  const content = isRecord(result) && Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : [];
  const [first] = content;
  const text = isRecord(first) ? textOf(first['text']) : '';
  const value = parse(text);
  if (isRecord(result) && result['isError'] === true) {
    const error = isRecord(value) && isRecord(value['error']) ? textOf(value['error']['message']) : '';
    throw new Error(error === '' ? 'The tool could not answer.' : error);
  }
  return value;
}

/** What an answer looks like; `asked`: the note that neighbours were asked of. Null for what is no graph. */
export function toSmallGraph(value: unknown, asked: string): SmallGraph | null {
  if (Array.isArray(value)) return neighbours(listOf(value), asked);
  if (!isRecord(value)) return null;
  if (Array.isArray(value['path'])) return chain(value['path'].filter((each) => typeof each === 'string'));
  if (Array.isArray(value['projects'])) return projects(listOf(value['projects']));
  if (isRecord(value['children']) && isRecord(value['node'])) return tasks(value['children']);
  return isRecord(value['root']) ? project(value, value['root']) : null;
}

function neighbours(found: readonly Readonly<Record<string, unknown>>[], asked: string): SmallGraph {
  const listed = found.slice(0, MAX_DRAWN_NODES - 1);
  const center: SmallNode = { id: asked, title: nameOf(asked), kind: 'center' };
  const nodes = [center, ...listed.map((each): SmallNode => ({ id: textOf(each['id']), title: titleOf(each), kind: 'note' }))];
  const places = new Map(nodes.map(({ id }, at) => [id, at]));
  const links = listed.flatMap((each, at) => {
    const place = at + 1;
    const own = each['direction'] === 'in' ? [{ from: place, to: 0 }] : [{ from: 0, to: place }];
    const among = listOf(each['links']).flatMap((link) => {
      const to = places.get(textOf(link['id']));
      return to === undefined || to === 0 || to === place ? [] : [{ from: place, to }];
    });
    return [...own, ...among];
  });
  const more = found.length - listed.length;
  return {
    shape: 'star',
    nodes,
    links,
    note: found.length === 0 ? 'It has no links.' : more > 0 ? `${more} more linked notes are not drawn.` : '',
  };
}

function chain(path: readonly string[]): SmallGraph {
  const nodes = path.slice(0, MAX_DRAWN_NODES).map((id, at): SmallNode => ({ id, title: nameOf(id), kind: at === 0 ? 'center' : 'note' }));
  const links = nodes.slice(1).map((_, at) => ({ from: at, to: at + 1 }));
  return { shape: 'chain', nodes, links, note: nodes.length === 0 ? 'No path of links connects them.' : '' };
}

function projects(found: readonly Readonly<Record<string, unknown>>[]): SmallGraph {
  const listed = found.slice(0, MAX_DRAWN_NODES - 1);
  const nodes = listed.map((each): SmallNode => {
    const [resolved, total] = [Number(each['resolved']), Number(each['total'])];
    return {
      id: textOf(each['id']),
      title: `${textOf(each['project'])} (${resolved} of ${total} done)`,
      kind: resolved === total ? 'done' : 'open',
    };
  });
  const root: SmallNode = { id: '', title: 'Projects', kind: 'center' };
  return {
    shape: 'tree',
    nodes: [root, ...nodes],
    links: nodes.map((_, at) => ({ from: 0, to: at + 1 })),
    note: nodes.length === 0 ? 'No projects yet.' : '',
  };
}

function project(value: Readonly<Record<string, unknown>>, root: Readonly<Record<string, unknown>>): SmallGraph {
  const counts = isRecord(value['summary']) ? value['summary'] : {};
  const note = ['actionable', 'blocked', 'resolved'].map((name) => `${Number(counts[name] ?? 0)} ${name}`).join(', ');
  const id = textOf(root['id']);
  return {
    shape: 'tree',
    nodes: [{ id, title: textOf(root['summary']) || textOf(value['project']), kind: 'center' }],
    links: [],
    note,
    root: id,
  };
}

function tasks(tree: Readonly<Record<string, unknown>>): SmallGraph {
  const nodes: SmallNode[] = [];
  const links: { from: number; to: number }[] = [];
  let leftOut = 0;
  const add = (task: Readonly<Record<string, unknown>>, parent: number): void => {
    if (nodes.length >= MAX_DRAWN_NODES) return void (leftOut += 1);
    const at = nodes.length;
    nodes.push({
      id: textOf(task['id']),
      title: textOf(task['summary']),
      kind: parent < 0 ? 'center' : task['resolved'] === true ? 'done' : 'open',
    });
    if (parent >= 0) links.push({ from: parent, to: at });
    for (const child of listOf(task['children'])) add(child, at);
  };
  add(tree, -1);
  return { shape: 'tree', nodes, links, note: leftOut > 0 ? `${leftOut} more tasks are not drawn.` : '' };
}

function titleOf(node: Readonly<Record<string, unknown>>): string {
  const title = textOf(node['title']);
  return title === '' ? nameOf(textOf(node['id'])) : title;
}

/** What a note is called whose title is not told. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
