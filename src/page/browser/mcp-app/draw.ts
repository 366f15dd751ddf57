import { layOut } from './layout.ts';
import type { Place } from './layout.ts';
import type { SmallGraph, SmallNode } from './small-graph.ts';

const SVG = 'http://www.w3.org/2000/svg';

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** Draws a small graph. Names are set as text, never as markup. Calls `choose` with the index of a clicked node. */
export function draw(
  graph: SmallGraph,
  { width, chosen, choose }: { readonly width: number; readonly chosen: number | null; readonly choose: (at: number) => void },
): SVGElement {
  const { places, height } = layOut(graph, width);
  const svg = element('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': 'Graph' });
  for (const { from, to } of graph.links) {
    const [a, b] = [places[from], places[to]];
    if (a === undefined || b === undefined) continue;
    const isNear = chosen === null || from === chosen || to === chosen;
    svg.append(
      element('path', {
        d: graph.shape === 'tree' ? `M${a.x} ${a.y}V${b.y}H${b.x}` : `M${a.x} ${a.y}L${b.x} ${b.y}`,
        class: isNear ? 'link' : 'link far',
      }),
    );
  }
  for (const [at, node] of graph.nodes.entries()) {
    const place = places[at];
    if (place !== undefined) svg.append(drawNode(node, { place, width, isChosen: at === chosen, choose: () => choose(at) }));
  }
  return svg;
}

function drawNode(
  node: SmallNode,
  {
    place,
    width,
    isChosen,
    choose,
  }: { readonly place: Place; readonly width: number; readonly isChosen: boolean; readonly choose: () => void },
): SVGElement {
  const { x, y, side } = place;
  const group = element('g', { class: `node ${node.kind}`, tabindex: 0, role: 'button', 'aria-pressed': String(isChosen) });
  const radius = node.kind === 'center' ? 9 : 6;
  const gap = radius + 5;
  const [left, top] = side === 'middle' ? [x, y + radius + 15] : side === 'start' ? [x + gap, y + 4] : [x - gap, y + 4];
  const room = side === 'middle' ? Math.min(x, width - x) * 2 : side === 'start' ? width - left : left;
  const label = element('text', { x: left, y: top, 'text-anchor': side });
  label.textContent = truncate(node.title, Math.max(6, Math.floor(room / 7)));
  const whole = element('title', {});
  whole.textContent = node.title;
  group.append(whole, element('circle', { cx: x, cy: y, r: 16, class: 'reach' }), element('circle', { cx: x, cy: y, r: radius }), label);
  group.setAttribute('aria-label', truncate(node.title, 200));
  group.addEventListener('click', choose);
  group.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose();
  });
  return group;
}

export function truncate(text: string, most: number): string {
  const line = Array.from(text.replaceAll(/\s+/g, ' ').trim());
  return line.length <= most ? line.join('') : `${line.slice(0, most - 1).join('')}…`;
}
