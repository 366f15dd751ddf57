import { decodeEntities, tokenizeHtml } from '../../../../render/syntax/html-tokens.ts';

/** A place in the HTML of a note where a base, a canvas or the hits of a search belong. */
export interface Block {
  readonly kind: string;
  /** The path of the file; null for a block of code. */
  readonly path: string | null;
  /** The text of a block of code. */
  readonly source: string;
  /** The view of a base; null for the first. */
  readonly view: string | null;
  /** The note that contains it. */
  readonly context: string;
}

/** The element that the renderer makes (`live-blocks.ts`). No note can write these attributes. */
const BLOCK = /<div class="live-block" data-block="\w+"(?: [\w-]+="[^"]*")*>.*?<\/div>/gs;
/** Blocks of a note that are shown; the others are left out. */
const MAX_BLOCKS = 100;

/** Replaces the blocks in the HTML of a note. */
export async function fillBlocks(html: string, show: (block: Block) => Promise<string>): Promise<string> {
  const shown: string[] = [];
  for (const [block] of html.matchAll(BLOCK)) shown.push(shown.length < MAX_BLOCKS ? await show(readBlock(block)) : '');
  let next = 0;
  return html.replaceAll(BLOCK, () => shown[next++] ?? '');
}

/** Removes the blocks, whose source is not for readers. */
export function dropBlocks(html: string): string {
  return html.replaceAll(BLOCK, '');
}

function readBlock(html: string): Block {
  const tokens = tokenizeHtml(html);
  const attributes = tokens[0]?.kind === 'open' ? tokens[0].attributes : new Map<string, string>();
  const path = attributes.get('data-path') ?? null;
  return {
    kind: attributes.get('data-block') ?? '',
    path,
    source: path === null ? tokens.map((token) => (token.kind === 'text' ? decodeEntities(token.text) : '')).join('') : '',
    view: attributes.get('data-view') ?? null,
    context: attributes.get('data-context') ?? '',
  };
}
