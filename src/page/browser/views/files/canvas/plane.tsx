import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import { colorClass, colorStyle } from '../../../../site/canvas-colors.ts';
import { Edges } from './edges.tsx';
import { createLoadBudget, NodeContent } from './node-content.tsx';
import type { CanvasNode, ShownCanvas } from './shapes.ts';

/** The plane with the nodes and edges of a canvas. The camera moves it as a whole. */
export function Plane(props: {
  readonly canvas: ShownCanvas;
  readonly plane: RefObject<HTMLDivElement | null>;
  readonly isSmall: boolean;
  /** Brings a node closer. */
  readonly show: (node: CanvasNode) => void;
}) {
  const { canvas, plane, isSmall, show } = props;
  const budget = useMemo(createLoadBudget, [canvas.path]);
  // Groups lie behind what is in them, the large ones furthest.
  const groups = canvas.nodes.filter(({ kind }) => kind === 'group').sort((a, b) => b.width * b.height - a.width * a.height);
  const others = canvas.nodes.filter(({ kind }) => kind !== 'group');
  return (
    <div class="canvas-plane" ref={plane}>
      {[...groups, ...others].map((node) => (
        <div
          key={node.id}
          class={`canvas-node canvas-${node.kind} ${colorClass(node.color)}`}
          style={{
            ...colorStyle(node.color),
            left: `${node.x}px`,
            top: `${node.y}px`,
            width: `${node.width}px`,
            height: `${node.height}px`,
          }}
          data-node={node.id}
          // A click lets its content scroll.
          tabIndex={-1}
          onClick={isSmall && node.kind !== 'group' ? () => show(node) : undefined}
        >
          {node.kind === 'group' ? null : (
            <p class="canvas-far-name" aria-hidden="true" dir="auto">
              {node.name}
            </p>
          )}
          {node.kind === 'group' ? (
            <p class="canvas-label" dir="auto">
              {node.label}
            </p>
          ) : (
            <div class="canvas-content" inert={isSmall}>
              <NodeContent node={node} canvas={canvas.path} budget={budget} />
            </div>
          )}
        </div>
      ))}
      <Edges canvas={canvas} />
    </div>
  );
}
