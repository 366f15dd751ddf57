import type { GraphView } from '../../../../graph/view.ts';
import { fileName } from '../../../../note/path.ts';
import { shorten } from '../../../shorten.ts';
import { plainLine } from '../plain-line.ts';
import type { ParsedNode } from './parse-nodes.ts';

/** What a canvas is shown from: a vault, or the notes of one that are published. */
export interface NodeSource {
  readonly graph: Pick<GraphView, 'get' | 'isAttachment'>;
  /** Renders the text of a node as sanitised HTML. */
  readonly renderText: (text: string) => Promise<string>;
}

/** A node with what is shown of it. */
export type ShownNode = Awaited<ReturnType<typeof showNodes>>[number];

export const MAX_NAME_CHARACTERS = 120;
/** Limits of texts that are rendered as Markdown; others are shown as they are written. */
const MAX_RENDERED_NODES = 400;
const MAX_RENDERED_CHARACTERS = 200_000;
/** Each may embed many notes. */
const MAX_EMBEDDING_NODES = 20;

/** Adds to each node what the page shows of it, with a name for lists. */
export async function showNodes({ graph, renderText }: NodeSource, nodes: readonly ParsedNode[]) {
  const budget = { nodes: MAX_RENDERED_NODES, characters: MAX_RENDERED_CHARACTERS, embedding: MAX_EMBEDDING_NODES };
  return Promise.all(
    nodes.map(async (node) => {
      switch (node.kind) {
        case 'text': {
          const name = shorten(plainLine(node.text.slice(0, 4 * MAX_NAME_CHARACTERS)).text, MAX_NAME_CHARACTERS);
          const html = spend(budget, node.text) ? await renderText(node.text) : null;
          return { ...node, name, html };
        }
        case 'file': {
          const entry = graph.get(node.file);
          const shows = entry !== null ? ('note' as const) : graph.isAttachment(node.file) ? ('file' as const) : ('nothing' as const);
          const heading = node.subpath.replace(/^#+/, '');
          return { ...node, name: shorten(entry?.title ?? fileName(node.file), MAX_NAME_CHARACTERS), shows, heading };
        }
        case 'link':
          return {
            ...node,
            name: shorten(node.url, MAX_NAME_CHARACTERS),
            is_web: /^https?:\/\//i.test(node.url) && URL.canParse(node.url),
          };
        case 'group':
          return { ...node, name: node.label };
      }
    }),
  );
}

/** Whether a text is still rendered, counted against the limits of a canvas. */
function spend(budget: { nodes: number; characters: number; embedding: number }, text: string): boolean {
  budget.nodes -= 1;
  budget.characters -= text.length;
  if (/!\[/.test(text)) budget.embedding -= 1;
  return budget.nodes >= 0 && budget.characters >= 0 && budget.embedding >= 0;
}
