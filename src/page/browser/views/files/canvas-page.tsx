import { usePageTitle } from '../../parts/page-title.ts';
import { CanvasView } from './canvas/canvas-view.tsx';
import { NoteFolder } from './note-folder.tsx';

/** Shows a `.canvas` file. */
export function CanvasPage({ path }: { readonly path: string }) {
  const name = path.replace(/^.*\//, '').replace(/\.canvas$/i, '');
  usePageTitle(name);
  return (
    <article class="canvas-page">
      <NoteFolder path={path} />
      <h1 dir="auto">{name}</h1>
      <CanvasView path={path} />
    </article>
  );
}
