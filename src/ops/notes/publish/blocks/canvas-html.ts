import { boundsOf } from '../../../../page/site/canvas-bounds.ts';
import { colorClass } from '../../../../page/site/canvas-colors.ts';
import { edgePath } from '../../../../page/site/edge-path.ts';
import { mediaElementOf } from '../../../../render/syntax/media.ts';
import { escapeHtml } from '../../../../render/syntax/html-tokens.ts';
import type { ParsedEdge } from '../../page/canvas/parse-nodes.ts';
import type { ShownNode } from '../../page/canvas/show-nodes.ts';
import { fileHtml, noteLinkHtml } from './link-html.ts';

/** A node with the content that it has on a site, as HTML with the addresses of the live page. */
export interface FilledNode {
  readonly node: ShownNode;
  readonly content: string;
}

/** Free space around everything, in units of the canvas. */
const MARGIN = 40;
const KINDS: Readonly<Record<ShownNode['kind'], string>> = { text: 'Text', file: 'File', link: 'Web page', group: 'Group' };

/**
 * Writes a canvas as a picture that scrolls and as a list. Places and sizes are attributes of an SVG: the policy of a site allows no styles in
 * a page, and so no colors but the presets.
 */
export function canvasHtml(name: string, nodes: readonly FilledNode[], edges: readonly ParsedEdge[]): string {
  const bounds = boundsOf(nodes.map(({ node }) => node));
  if (bounds === null) return '<p class="quiet">This canvas is empty.</p>\n';
  const [width, height] = [bounds.width + 2 * MARGIN, bounds.height + 2 * MARGIN].map(Math.ceil);
  const view = [bounds.x - MARGIN, bounds.y - MARGIN, width, height].join(' ');
  // Groups lie behind what is in them, the large ones furthest.
  const area = ({ node }: FilledNode): number => (node.kind === 'group' ? -node.width * node.height : 0);
  const drawn = [...nodes].sort((a, b) => area(a) - area(b)).map(nodeHtml);
  return `<div class="canvas canvas-static" role="region" aria-label="Canvas ${escapeHtml(name)}" tabindex="0">
<svg viewBox="${view}" width="${width}" height="${height}">
${drawn.join('')}<g class="canvas-edges" aria-hidden="true">
${edges.map((edge) => edgeHtml(edge, nodes)).join('')}</g>
</svg>
</div>
${listHtml(nodes, edges)}`;
}

function nodeHtml({ node, content }: FilledNode): string {
  const { kind, x, y, width, height, color } = node;
  const inner =
    kind === 'group' ? `<p class="canvas-label" dir="auto">${escapeHtml(node.label)}</p>` : `<div class="canvas-content">${content}</div>`;
  return `<foreignObject x="${x}" y="${y}" width="${width}" height="${height}"><div class="canvas-node canvas-${kind} ${colorClass(color)}">${inner}</div></foreignObject>\n`;
}

function edgeHtml(edge: ParsedEdge, nodes: readonly FilledNode[]): string {
  const [from, to] = [nodes[edge.from]?.node, nodes[edge.to]?.node];
  if (from === undefined || to === undefined) return '';
  const { line, startArrow, endArrow, middle } = edgePath(from, to, edge);
  const label = edge.label === '' ? '' : `<text class="canvas-edge-label" x="${middle.x}" y="${middle.y}">${escapeHtml(edge.label)}</text>`;
  const arrows = [edge.has_start_arrow ? startArrow : '', edge.has_end_arrow ? endArrow : '']
    .filter((path) => path !== '')
    .map((path) => `<path class="canvas-arrow" d="${path}"/>`);
  return `<g class="${colorClass(edge.color)}"><path class="canvas-line" d="${line}"/>${arrows.join('')}${label}</g>\n`;
}

/** All nodes with their connections, for keyboards, screen readers and narrow screens. */
function listHtml(nodes: readonly FilledNode[], edges: readonly ParsedEdge[]): string {
  const items = nodes.map(({ node }, place) => {
    const kind = node.kind === 'file' && node.shows === 'note' ? 'Note' : KINDS[node.kind];
    const out = edges.filter(({ from }) => from === place);
    const lines = out.map(({ to, label }) => {
      const target = nodes[to]?.node;
      return `<div class="quiet" dir="auto">${label === '' ? '' : `${escapeHtml(label)} `}→ ${escapeHtml(target === undefined ? '' : nameOf(target))}</div>`;
    });
    return `<li><span class="quiet">${kind}</span> ${nameHtml(node)}${lines.join('')}</li>\n`;
  });
  const count = nodes.length === 1 ? '1 item' : `${nodes.length.toLocaleString('en')} items`;
  return `<details class="canvas-list">\n<summary>${count} as a list</summary>\n<ol>\n${items.join('')}</ol>\n</details>\n`;
}

/** Returns the name of a node, with a link to what it shows. */
export function nameHtml(node: ShownNode): string {
  const name = nameOf(node);
  if (node.kind === 'file') return node.shows === 'note' ? noteLinkHtml(node.file, name) : fileHtml(node.file, name);
  if (node.kind === 'link' && node.is_web)
    return `<a class="external" href="${escapeHtml(node.url)}" target="_blank" rel="noopener noreferrer">${escapeHtml(name)}</a>`;
  return `<bdi>${escapeHtml(name)}</bdi>`;
}

function nameOf({ name }: ShownNode): string {
  return name === '' ? 'without a name' : name;
}

/** Returns a picture, or nothing for another file. */
export function pictureHtml(path: string, label: string): string {
  return mediaElementOf(path) === 'img' ? `<img class="canvas-picture" data-file="${escapeHtml(path)}" alt="${escapeHtml(label)}">` : '';
}
