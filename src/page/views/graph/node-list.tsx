import type { Chart } from './chart.ts';
import { NodeButton } from './near-list.tsx';

const MOST = 100;

/** Nodes as a list, the most linked first: what was found, or all of them where nothing can be drawn. */
export function NodeList(props: {
  readonly chart: Chart;
  readonly shown: Uint8Array;
  readonly lit: ReadonlySet<number> | null;
  readonly onFocus: (place: number) => void;
}) {
  const { chart, shown, lit, onFocus } = props;
  const places = (lit === null ? chart.nodes.map((_, at) => at) : [...lit])
    .filter((place) => shown[place] === 1)
    .sort((a, b) => (chart.degree[b] ?? 0) - (chart.degree[a] ?? 0));
  const listed = places.slice(0, MOST);
  return (
    <section class={lit === null ? 'graph-instead' : 'graph-found'} aria-label={lit === null ? 'Notes' : 'Found'}>
      {lit === null ? (
        <>
          <h2>The graph cannot be drawn here</h2>
          <p>It needs WebGL 2, which this browser does not offer, or which is turned off. These are the notes with the most links.</p>
        </>
      ) : (
        <h2>
          Found <span class="quiet">{places.length}</span>
        </h2>
      )}
      <ul class="graph-list">
        {listed.map((place) => (
          <NodeButton key={chart.nodes[place]?.id} node={chart.nodes[place]} onFocus={() => onFocus(place)} />
        ))}
      </ul>
      {places.length > listed.length ? (
        <p class="quiet">{(places.length - listed.length).toLocaleString('en')} more: search for them.</p>
      ) : null}
    </section>
  );
}
