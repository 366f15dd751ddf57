import type { Note } from '../../../../note/note.ts';
import { readShownText } from '../site-html.ts';
import type { PublishedView } from '../../../../vault/scope/published-view.ts';
import { stripComments } from '../../../../vault/scope/strip-comments.ts';
import { shorten } from '../../../shorten.ts';
import { parseCanvas } from '../../files/canvas-json.ts';
import { parseNodes } from '../../page/canvas/parse-nodes.ts';
import type { ParsedNodes } from '../../page/canvas/parse-nodes.ts';
import { MAX_CANVAS_BYTES, textNote } from '../../page/canvas/read-canvas.ts';
import { MAX_NAME_CHARACTERS, showNodes } from '../../page/canvas/show-nodes.ts';
import type { ShownNode } from '../../page/canvas/show-nodes.ts';
import { renderNote } from '../../page/render.ts';
import { canvasHtml, nameHtml, pictureHtml } from './canvas-html.ts';
import type { FilledNode } from './canvas-html.ts';
import { dropBlocks } from './fill-blocks.ts';
import { nameOf } from './link-html.ts';

/** What is published. */
interface Source {
  readonly view: PublishedView;
  /** Whether a file that is no note is published. */
  readonly isFile: (path: string) => boolean;
  /** Shows a base in a card. */
  readonly base: (path: string, view: string | null) => string;
}

/** Notes whose beginning a canvas shows, and its length; the others are links. */
const MAX_EXCERPTS = 100;
const MAX_EXCERPT_CHARACTERS = 1_200;

/** Reads the cards of a canvas. Returns null for what is none, or too large. */
export function readCards(text: string): ParsedNodes | null {
  const canvas = text.length > MAX_CANVAS_BYTES ? null : parseCanvas(text);
  return canvas === null ? null : parseNodes(canvas);
}

/** Returns the text of a card as a note, without comments. */
export function cardNote(path: string, text: string): Note {
  return textNote(path, stripComments(text));
}

/** Shows a canvas as HTML with the addresses of the live page; null for what is none. */
export async function showCanvas({ view, isFile, base }: Source, path: string, text: string): Promise<string | null> {
  const parsed = readCards(text);
  if (parsed === null) return null;
  const renderText = async (card: string): Promise<string> =>
    dropBlocks((await renderNote(view, cardNote(path, card), { isPublished: true, isPreview: true })).html);
  const isShown = (place: number): boolean => {
    const node = parsed.nodes[place];
    return node !== undefined && (node.kind !== 'file' || view.graph.get(node.file) !== null || isFile(node.file));
  };
  const places = parsed.nodes.flatMap((_, place) => (isShown(place) ? [place] : []));
  const graph = { get: view.graph.get, isAttachment: isFile };
  // The names of texts are made of their source, which may hold comments.
  const bare = places.flatMap((place) => {
    const node = parsed.nodes[place];
    return node === undefined ? [] : [node.kind === 'text' ? { ...node, text: stripComments(node.text) } : node];
  });
  const nodes = await showNodes({ graph, renderText }, bare);
  let excerpts = MAX_EXCERPTS;
  const filled: FilledNode[] = [];
  for (const node of nodes) {
    if (node.kind === 'file' && node.shows === 'note') excerpts -= 1;
    filled.push({ node: nameByText(node), content: await contentOf(node, { view, isFile, base }, excerpts >= 0) });
  }
  const next = new Map(places.map((place, at) => [place, at] as const));
  const edges = parsed.edges.flatMap((edge) => {
    const [from, to] = [next.get(edge.from), next.get(edge.to)];
    return from === undefined || to === undefined ? [] : [{ ...edge, from, to }];
  });
  return canvasHtml(nameOf(path), filled, edges);
}

/** Names a text by what is shown of it: its source names what its links lead to. */
function nameByText(node: ShownNode): ShownNode {
  if (node.kind !== 'text') return node;
  const text = readShownText(node.html ?? '').blocks.map((block) => block.text.trim());
  return { ...node, name: shorten(text.join(' '), MAX_NAME_CHARACTERS) };
}

async function contentOf(node: ShownNode, { view, base }: Source, hasExcerpt: boolean): Promise<string> {
  switch (node.kind) {
    case 'text':
      // A text beyond the limits is left out: only rendering tells what of it is published.
      return `<div class="prose prose-small">${node.html ?? ''}</div>`;
    case 'link':
      return `<p class="canvas-link">${nameHtml(node)}</p>`;
    case 'group':
      return '';
    case 'file': {
      if (/\.base$/i.test(node.file)) return base(node.file, node.heading === '' ? null : node.heading);
      const title = `<p class="canvas-file-title">${nameHtml(node)}</p>`;
      const note = node.shows === 'note' && hasExcerpt ? view.notes.readUnstable(node.file)?.note : undefined;
      if (note === undefined) return `<div class="canvas-file">${title}${pictureHtml(node.file, node.name)}</div>`;
      const subpath = node.heading === '' ? {} : { subpath: `#${node.heading}` };
      const { html } = await renderNote(view, note, {
        ...subpath,
        isPublished: true,
        isPreview: true,
        maxCharacters: MAX_EXCERPT_CHARACTERS,
      });
      return `<div class="canvas-file">${title}<div class="prose prose-small">${dropBlocks(html)}</div></div>`;
    }
  }
}
