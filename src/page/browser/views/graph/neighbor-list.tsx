import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { getNeighbors } from './graph-model.ts';
import type { GraphData } from './graph-model.ts';
import type { MapNode } from './map-answer.ts';

/** Number of neighbors shown until the user asks for all. */
const MAX_COLLAPSED = 12;

const KIND = { unresolved: 'not written yet', attachment: 'attachment' } as const;

/** The focused node and its neighbors, as text for those who cannot use the canvas. */
export function NeighborList(props: {
  readonly graph: GraphData;
  readonly shown: Uint8Array;
  readonly index: number;
  /** Path of the note that the map is around, or null. */
  readonly around: string | null;
  readonly onFocus: (index: number) => void;
  readonly onLocal: (path: string) => void;
  readonly onClose: () => void;
}) {
  const { graph, shown, index, around } = props;
  const node = graph.nodes[index];
  if (node === undefined) return null;
  const { out, into } = getNeighbors(graph, index);
  const lists = [
    ['Links to', out],
    ['Linked from', into],
  ] as const;
  return (
    <section class="graph-near" aria-label="Selected note">
      <div class="graph-near-head">
        <h2 dir="auto">{node.kind === 'note' ? <NoteLink path={node.path} title={node.title} /> : node.title}</h2>
        <button type="button" class="icon-button" aria-label="Clear selection" onClick={props.onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p class="quiet" dir="auto">
        {describe(node)}
      </p>
      {node.kind === 'note' && node.path !== around ? (
        <button type="button" onClick={() => props.onLocal(node.path)}>
          <Icon name="graph" />
          Show surroundings
        </button>
      ) : null}
      {lists.map(([title, indices]) => (
        <Neighbors
          key={`${title} ${node.id}`}
          title={title}
          indices={indices.filter((each) => shown[each] === 1)}
          graph={graph}
          onFocus={props.onFocus}
        />
      ))}
    </section>
  );
}

function Neighbors({
  title,
  indices,
  graph,
  onFocus,
}: {
  readonly title: string;
  readonly indices: readonly number[];
  readonly graph: GraphData;
  readonly onFocus: (index: number) => void;
}) {
  const [isWhole, setWhole] = useState(false);
  if (indices.length === 0) return null;
  const listed = isWhole ? indices : indices.slice(0, MAX_COLLAPSED);
  return (
    <>
      <h3>
        {title} <span class="quiet">{indices.length}</span>
      </h3>
      <ul class="graph-list">
        {listed.map((index) => (
          <NodeButton key={graph.nodes[index]?.id} node={graph.nodes[index]} onFocus={() => onFocus(index)} />
        ))}
      </ul>
      {listed.length < indices.length ? (
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          All {indices.length}
        </button>
      ) : null}
    </>
  );
}

/** A node in a list. Choosing it also centers it on the canvas. */
export function NodeButton({ node, onFocus }: { readonly node: MapNode | undefined; readonly onFocus: () => void }) {
  if (node === undefined) return null;
  return (
    <li>
      <button type="button" class="graph-node" onClick={onFocus} dir="auto">
        {node.title === '' ? node.path : node.title}
        {node.kind === 'note' ? null : <span class="quiet"> {KIND[node.kind]}</span>}
      </button>
    </li>
  );
}

function describe({ kind, folder, type, tags }: MapNode): string {
  if (kind !== 'note') return KIND[kind];
  return [folder, type, ...tags.slice(0, 6).map((tag) => `#${tag}`)].filter((part) => part !== null && part !== '').join(' · ');
}
