import { listOf, numberOf, parseCanvas, textOf } from './canvas-json.ts';
import type { CanvasPart } from './canvas-json.ts';

export interface CanvasText {
  /** Its nodes from top to bottom, then its edges; the source unchanged if it is not a canvas. */
  readonly text: string;
  /** Files that it shows, without duplicates. */
  readonly files: readonly string[];
}

/** Far more than a canvas made by hand has. */
const MAX_NODES = 5_000;
/** Maximum characters of a node's text that name it in an edge. */
const MAX_NAME_CHARACTERS = 40;

/** Reads a canvas (JSON Canvas 1.0): its nodes in reading order. Returns anything else as it is. */
export function readCanvas(json: string): CanvasText {
  const canvas = parseCanvas(json);
  if (canvas === null) return { text: json, files: [] };
  const nodes = listOf(canvas['nodes']).slice(0, MAX_NODES);
  const inReadingOrder = nodes.toSorted((a, b) => numberOf(a, 'y') - numberOf(b, 'y') || numberOf(a, 'x') - numberOf(b, 'x'));
  const names = new Map(nodes.map((node) => [textOf(node, 'id'), nameOf(node)]));
  const edges = listOf(canvas['edges'])
    .slice(0, MAX_NODES)
    .map((edge) => {
      const label = textOf(edge, 'label');
      const [from, to] = [names.get(textOf(edge, 'fromNode')) ?? '?', names.get(textOf(edge, 'toNode')) ?? '?'];
      return `${from} → ${to}${label === '' ? '' : ` (${label})`}`;
    });
  const files = nodes.flatMap((node) => (textOf(node, 'file') === '' ? [] : [textOf(node, 'file')]));
  return {
    text: [...inReadingOrder.map(showNode), ...(edges.length === 0 ? [] : [edges.join('\n')])].join('\n\n'),
    files: [...new Set(files)],
  };
}

function showNode(node: CanvasPart): string {
  const [text, file, url, label] = ['text', 'file', 'url', 'label'].map((key) => textOf(node, key));
  if (file !== undefined && file !== '') return `![[${file}${textOf(node, 'subpath')}]]`;
  if (url !== undefined && url !== '') return `<${url}>`;
  return text !== undefined && text !== '' ? text : `[${label ?? ''}]`;
}

function nameOf(node: CanvasPart): string {
  const [line = ''] = showNode(node).split('\n');
  return line.length > MAX_NAME_CHARACTERS ? `${line.slice(0, MAX_NAME_CHARACTERS)}…` : line;
}
