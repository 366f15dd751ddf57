import type { GraphData } from './graph-model.ts';
import { NodeButton } from './neighbor-list.tsx';

const MAX_LISTED = 100;

/** Lists the matches of a search, the best first, or all nodes where WebGL is missing, the most linked first. */
export function NodeList(props: {
  readonly graph: GraphData;
  readonly shown: Uint8Array;
  readonly matches: ReadonlySet<number> | null;
  readonly onFocus: (index: number) => void;
}) {
  const { graph, shown, matches, onFocus } = props;
  const all = matches === null ? [...graph.nodes.keys()].sort((a, b) => (graph.degree[b] ?? 0) - (graph.degree[a] ?? 0)) : [...matches];
  const indices = all.filter((index) => shown[index] === 1);
  const listed = indices.slice(0, MAX_LISTED);
  return (
    <section class={matches === null ? 'graph-instead' : 'graph-found'} aria-label={matches === null ? 'Notes' : 'Found'}>
      {matches === null ? (
        <>
          <h2>The graph cannot be drawn here</h2>
          <p>It needs WebGL 2, which this browser does not offer, or which is turned off. These are the notes with the most links.</p>
        </>
      ) : (
        <h2>
          Found <span class="quiet">{indices.length.toLocaleString('en')}</span>
        </h2>
      )}
      <ul class="graph-list">
        {listed.map((index) => (
          <NodeButton key={graph.nodes[index]?.id} node={graph.nodes[index]} onFocus={() => onFocus(index)} />
        ))}
      </ul>
      {indices.length > listed.length ? (
        <p class="quiet">{(indices.length - listed.length).toLocaleString('en')} more. Search to find them.</p>
      ) : null}
    </section>
  );
}
