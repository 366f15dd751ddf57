/** A node of a tool's result. */
export interface SmallNode {
  readonly id: string;
  readonly title: string;
  /** How it is drawn. */
  readonly kind: 'center' | 'note' | 'done' | 'open';
}

/** A tool's result as a small graph. Links have indexes of `nodes`; the first node is the subject of the call. */
export interface SmallGraph {
  readonly shape: 'star' | 'chain' | 'tree';
  readonly nodes: readonly SmallNode[];
  readonly links: readonly { readonly from: number; readonly to: number }[];
  /** Text that is shown below the graph. */
  readonly note: string;
  /** Id of the root task of a project whose tasks are not loaded. */
  readonly root?: string;
}

const MAX_DRAWN_NODES = 48;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Parses the result of a tool: one text block of JSON. Returns null if there is none. Throws the tool's error message. */
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

/** Converts a tool's result into a graph, or returns null. `asked`: the note whose neighbors were requested. */
export function toSmallGraph(value: unknown, asked: string): SmallGraph | null {
  if (Array.isArray(value)) return neighbors(listOf(value), asked);
  if (!isRecord(value)) return null;
  if (Array.isArray(value['path'])) return chain(value['path'].filter((each) => typeof each === 'string'));
  if (Array.isArray(value['projects'])) return projects(listOf(value['projects']));
  if (isRecord(value['children']) && isRecord(value['node'])) return tasks(value['children']);
  return isRecord(value['root']) ? project(value, value['root']) : null;
}

function neighbors(found: readonly Readonly<Record<string, unknown>>[], asked: string): SmallGraph {
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
  let omitted = 0;
  const add = (task: Readonly<Record<string, unknown>>, parent: number): void => {
    if (nodes.length >= MAX_DRAWN_NODES) return void (omitted += 1);
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
  return { shape: 'tree', nodes, links, note: omitted > 0 ? `${omitted} more tasks are not drawn.` : '' };
}

function titleOf(node: Readonly<Record<string, unknown>>): string {
  const title = textOf(node['title']);
  return title === '' ? nameOf(textOf(node['id'])) : title;
}

/** Returns the file name without its extension. */
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
