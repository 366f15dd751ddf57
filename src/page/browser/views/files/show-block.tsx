import { render } from 'preact';
import type { LiveBlock } from '../../parts/live-blocks.ts';
import { noteAddress } from '../../router.ts';
import { BasesBlock } from './bases/bases-block.tsx';
import { CanvasView } from './canvas/canvas-view.tsx';
import { QueryBlock } from './query-block.tsx';

/** Shows a base, a canvas or the hits of a search inside a note. Returns a function that removes it. */
export function showBlock(element: HTMLElement, block: LiveBlock): () => void {
  render(<Block block={block} />, element);
  return () => render(null, element);
}

function Block({ block }: { readonly block: LiveBlock }) {
  if (block.kind === 'query') return <QueryBlock query={block.source.trim()} />;
  if (block.kind === 'base') return <BasesBlock block={block} />;
  const { path } = block;
  return (
    <section class="block" aria-label={`Canvas ${(path ?? '').replace(/^.*\//, '')}`}>
      <CanvasView path={path ?? ''} href={noteAddress(path ?? '')} />
    </section>
  );
}
