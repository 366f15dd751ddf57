import type { GraphData } from './graph-model.ts';
import { NodeButton } from './neighbor-list.tsx';

const MAX_LISTED = 100;

/** Lists nodes, the most linked first: the matches of a search, or all nodes where WebGL is missing. */
export function NodeList(props: {
  readonly graph: GraphData;
  readonly shown: Uint8Array;
  readonly matches: ReadonlySet<number> | null;
  readonly onFocus: (index: number) => void;
}) {
  const { graph, shown, matches, onFocus } = props;
  const indices = (matches === null ? graph.nodes.map((_, at) => at) : [...matches])
    .filter((index) => shown[index] === 1)
    .sort((a, b) => (graph.degree[b] ?? 0) - (graph.degree[a] ?? 0));
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
          Found <span class="quiet">{indices.length}</span>
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
