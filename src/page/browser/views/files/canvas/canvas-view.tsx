import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { boundsOf } from '../../../../site/canvas-bounds.ts';
import { Failure, Loading } from '../../../parts/states.tsx';
import { useOperation } from '../../../use-operation.ts';
import { CanvasList } from './canvas-list.tsx';
import { Plane } from './plane.tsx';
import type { CanvasNode, ShownCanvas } from './shapes.ts';
import { useCamera } from './use-camera.ts';
import type { MovedCamera } from './use-camera.ts';

/** Shows a canvas as a picture that can be moved and enlarged, and as a list. `href`: the canvas by itself, for one inside a note. */
export function CanvasView({ path, href = null }: { readonly path: string; readonly href?: string | null }) {
  const { value, error, reload } = useOperation('read_canvas', { path }, ({ paths, isListChanged }) => {
    return paths === null || isListChanged || paths.includes(path);
  });
  // Kept here, as the picture is gone while an editor that writes in place leaves the file empty for a moment.
  const moved = useRef<MovedCamera>(null);
  if (value === null) return error === null ? <Loading what="the canvas" /> : <Failure error={error} reload={reload} />;
  if (value.kind === 'problem') {
    return (
      <section class="failure" role="alert">
        <p>{value.message}</p>
      </section>
    );
  }
  return (
    <>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {value.notices.map((notice) => (
        <p class="notice" key={notice}>
          {notice}
        </p>
      ))}
      {value.nodes.length === 0 ? <p class="quiet">This canvas is empty.</p> : <Picture canvas={value} href={href} moved={moved} />}
    </>
  );
}

function Picture(props: { readonly canvas: ShownCanvas; readonly href: string | null; readonly moved: RefObject<MovedCamera | null> }) {
  const { canvas, href, moved } = props;
  const camera = useCamera(canvas.nodes, { path: canvas.path, moved, isEmbedded: href !== null });
  const { stage, plane, isSmall, zoomIn, zoomOut, fitAll, show } = camera;
  const bounds = boundsOf(canvas.nodes);
  // Inside a note, a wide canvas is no taller than it needs to be.
  const shape = href === null || bounds === null ? {} : { aspectRatio: `${bounds.width + 80} / ${bounds.height + 80}` };
  const showNode = (node: CanvasNode): void => {
    show(node);
    stage.current?.scrollIntoView({ block: 'nearest' });
    stage.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(node.id)}"]`)?.focus({ preventScroll: true });
  };
  return (
    <>
      <div class="canvas-bar">
        {href === null ? null : (
          <a href={href} class="block-title" dir="auto">
            {canvas.name}
          </a>
        )}
        <span class="canvas-buttons no-print">
          <button type="button" class="quiet-button" onClick={zoomOut} aria-label="Zoom out">
            −
          </button>
          <button type="button" class="quiet-button" onClick={zoomIn} aria-label="Zoom in">
            +
          </button>
          <button type="button" class="quiet-button" onClick={fitAll}>
            Fit
          </button>
        </span>
      </div>
      <div
        ref={stage}
        class="canvas"
        data-embedded={href !== null}
        style={shape}
        role="region"
        aria-label={`Canvas ${canvas.name}: arrow keys move it, plus and minus zoom, 0 shows all of it`}
        tabIndex={0}
      >
        <Plane canvas={canvas} plane={plane} isSmall={isSmall} show={show} />
      </div>
      <CanvasList canvas={canvas} show={showNode} />
    </>
  );
}
