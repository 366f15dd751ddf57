import { colorClass, colorStyle } from '../../../../site/canvas-colors.ts';
import { edgePath } from '../../../../site/edge-path.ts';
import type { ShownCanvas } from './shapes.ts';

/** The lines between the nodes. Lists name them too, so they are hidden from screen readers. */
export function Edges({ canvas: { nodes, edges } }: { readonly canvas: ShownCanvas }) {
  return (
    <svg class="canvas-edges" width="1" height="1" aria-hidden="true">
      {edges.map((edge, index) => {
        const [from, to] = [nodes[edge.from], nodes[edge.to]];
        if (from === undefined || to === undefined) return null;
        const { line, startArrow, endArrow, middle } = edgePath(from, to, edge);
        return (
          <g key={index} class={colorClass(edge.color)} style={colorStyle(edge.color)}>
            <path class="canvas-line" d={line} />
            {edge.has_start_arrow ? <path class="canvas-arrow" d={startArrow} /> : null}
            {edge.has_end_arrow ? <path class="canvas-arrow" d={endArrow} /> : null}
            {edge.label === '' ? null : (
              <text class="canvas-edge-label" x={middle.x} y={middle.y}>
                {edge.label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
