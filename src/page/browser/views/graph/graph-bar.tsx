import type { RefObject } from 'preact';
import { Icon } from '../../parts/icon.tsx';
import { Loading } from '../../parts/states.tsx';
import type { Scene } from './canvas/scene.ts';
import { prefersReducedMotion } from './graph-canvas.tsx';
import type { GraphData } from './graph-model.ts';
import type { MapState } from './use-map.ts';

/** The bar over the graph: how much is drawn, the buttons of the camera, and the one that opens the side. */
export function GraphBar(props: {
  readonly map: MapState;
  readonly graph: GraphData;
  readonly shown: Uint8Array;
  readonly matches: ReadonlySet<number> | null;
  /** Null if the graph cannot be drawn. */
  readonly scene: RefObject<Scene | null> | null;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const { map, isOpen } = props;
  return (
    <div class="graph-bar">
      <p class="graph-count" role="status">
        {map.nodes === null ? <Loading what="the graph" /> : describeCount(props)}
        {map.layout.state === 'failed' ? ' The graph could not be laid out. roux tries again when links change.' : ''}
        {map.leftOut > 0 ? ` ${map.leftOut.toLocaleString('en')} more are not drawn.` : ''}
      </p>
      {props.scene === null ? null : <CameraButtons scene={props.scene} />}
      <button type="button" class="graph-toggle" aria-expanded={isOpen} aria-controls="graph-side" onClick={props.onToggle}>
        <Icon name="menu" />
        {isOpen ? 'Close' : 'Search and filter'}
      </button>
    </div>
  );
}

function describeCount(props: Pick<Parameters<typeof GraphBar>[0], 'map' | 'graph' | 'shown' | 'matches'>): string {
  const { layout } = props.map;
  const { nodes } = props.graph;
  const total = nodes.filter(({ kind }) => kind === 'note').length;
  if (layout.state === 'computing') return `Laying out ${total.toLocaleString('en')} notes… ${Math.round(layout.done * 100)} %`;
  const count = nodes.filter(({ kind }, at) => kind === 'note' && props.shown[at] === 1).length;
  const part = count === total ? '' : `${count.toLocaleString('en')} of `;
  const found = props.matches === null ? '' : `, ${props.matches.size.toLocaleString()} found`;
  return `${part}${total.toLocaleString()} ${total === 1 ? 'note' : 'notes'}${found}`;
}

function CameraButtons({ scene }: { readonly scene: RefObject<Scene | null> }) {
  const buttons = [
    ['Zoom in', '+', () => scene.current?.zoom(1.5, prefersReducedMotion())],
    ['Zoom out', '−', () => scene.current?.zoom(1 / 1.5, prefersReducedMotion())],
    ['Show all', '⤢', () => scene.current?.fit(prefersReducedMotion())],
  ] as const;
  return (
    <div class="graph-buttons">
      {buttons.map(([label, sign, run]) => (
        <button key={label} type="button" class="icon-button" aria-label={label} onClick={run}>
          <span aria-hidden="true">{sign}</span>
        </button>
      ))}
    </div>
  );
}
