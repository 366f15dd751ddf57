import { openBridge } from './bridge.ts';
import type { Bridge } from './bridge.ts';
import { truncate, draw } from './draw.ts';
import { toSmallGraph, parseResult } from './small-graph.ts';
import type { SmallGraph, SmallNode } from './small-graph.ts';

const stage = document.getElementById('stage') ?? document.body;
const bar = document.getElementById('bar') ?? document.body;

let bridge: Bridge | null = null;
let asked = '';
/** Which of several vaults the call was about; absent for the only one. */
let vault: { readonly vault?: string } = {};
let graph: SmallGraph | null = null;
let message = 'Waiting for the answer…';
let chosen: number | null = null;

/** Longest part of an id in a message to the conversation. */
const MAX_REFERENCE_CHARACTERS = 300;

function show(): void {
  const width = Math.max(240, document.documentElement.clientWidth);
  const focused = document.activeElement?.closest('g.node') ?? null;
  const at = focused === null ? -1 : [...stage.querySelectorAll('g.node')].indexOf(focused);
  stage.replaceChildren(...(graph === null || graph.nodes.length === 0 ? [] : [draw(graph, { width, chosen, choose })]));
  if (at >= 0) stage.querySelectorAll<SVGElement>('g.node')[at]?.focus();
  const node = chosen === null ? undefined : graph?.nodes[chosen];
  const text = document.createElement('p');
  text.textContent = node === undefined ? (graph?.note ?? message) : truncate(node.title, 120);
  bar.replaceChildren(text, ...(node === undefined || node.id === '' ? [] : buttonsOf(node)));
  tellSize();
}

function choose(at: number): void {
  chosen = chosen === at ? null : at;
  show();
}

function buttonsOf({ id, kind }: SmallNode): readonly HTMLElement[] {
  const reference =
    JSON.stringify(id.slice(0, MAX_REFERENCE_CHARACTERS)) +
    (vault.vault === undefined ? '' : ` of the vault ${JSON.stringify(vault.vault)}`);
  const isNote = kind === 'note' || graph?.shape !== 'tree';
  const buttons: HTMLElement[] = [];
  if (bridge?.host.canMessage === true)
    buttons.push(
      button('Ask about it', () =>
        bridge?.sendMessage(
          isNote
            ? `Read the note ${reference} with get_node and tell me about it.`
            : `Read the task ${reference} with graph_context and tell me about it.`,
        ),
      ),
    );
  if (bridge?.host.canCallTools === true && isNote && chosen !== 0)
    buttons.push(button('Its links', () => ask('get_neighbors', { ...vault, id, include_content: false })));
  return buttons;
}

function button(label: string, act: () => Promise<unknown> | undefined): HTMLElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.addEventListener('click', () => {
    made.disabled = true;
    act()
      ?.catch(fail)
      .finally(() => (made.disabled = false));
  });
  return made;
}

/** Calls a tool through the host and shows its result. */
async function ask(tool: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  const result = await bridge?.callTool(tool, args);
  asked = typeof args['id'] === 'string' ? args['id'] : asked;
  showResult(result);
}

function showResult(result: unknown): void {
  chosen = null;
  try {
    graph = toSmallGraph(parseResult(result), asked);
    message = graph === null ? 'This result has nothing to draw.' : '';
  } catch (error) {
    fail(error);
    return;
  }
  show();
  if (graph?.root !== undefined && bridge?.host.canCallTools === true) addTasks(bridge, graph, graph.root).catch(() => undefined);
}

/** Fetches the tasks of a project, because `graph_open` returns only their counts. */
async function addTasks(through: Bridge, project: SmallGraph, root: string): Promise<void> {
  const tasks = toSmallGraph(parseResult(await through.callTool('graph_context', { ...vault, node_id: root })), '');
  if (tasks === null || graph !== project) return;
  graph = tasks;
  show();
}

function fail(error: unknown): void {
  graph = null;
  message = error instanceof Error ? truncate(error.message, 300) : 'The tool could not answer.';
  show();
}

/** Applies the theme and the CSS variables of the host. */
function applyTheme(context: Readonly<Record<string, unknown>>): void {
  const { theme, styles } = context;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  const variables = typeof styles === 'object' && styles !== null && 'variables' in styles ? styles.variables : null;
  for (const [name, value] of Object.entries(variables ?? {}))
    if (/^--[a-z0-9-]{1,60}$/.test(name) && typeof value === 'string' && value.length < 300)
      document.documentElement.style.setProperty(name, value);
}

function tellSize(): void {
  const { scrollWidth: width } = document.documentElement;
  bridge?.tellSize({ width, height: Math.ceil(document.body.getBoundingClientRect().height) });
}

let shownWidth = 0;
new ResizeObserver(() => {
  const width = document.documentElement.clientWidth;
  if (width === shownWidth) return;
  shownWidth = width;
  show();
}).observe(document.documentElement);

let early: unknown;
openBridge(window.parent, {
  onInput: (args) => {
    asked = typeof args['id'] === 'string' ? args['id'] : '';
    vault = typeof args['vault'] === 'string' ? { vault: args['vault'].slice(0, MAX_REFERENCE_CHARACTERS) } : {};
  },
  onResult: (result) => (bridge === null ? (early = result) : showResult(result)),
  onCancelled: () => fail(new Error('The call was cancelled.')),
  onContext: applyTheme,
}).then((opened) => {
  bridge = opened;
  if (early === undefined) show();
  else showResult(early);
}, fail);
