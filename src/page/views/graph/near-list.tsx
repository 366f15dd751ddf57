import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { neighboursOf } from './chart.ts';
import type { Chart } from './chart.ts';
import type { MapNode } from './map-answer.ts';

/** So many of a list are shown until more are asked for. */
const FIRST = 12;

/** The node that is looked at, and what it is linked with: the same as the drawing shows, for who reads instead. */
export function NearList(props: {
  readonly chart: Chart;
  readonly shown: Uint8Array;
  readonly place: number;
  /** The note whose surroundings are shown already, or null. */
  readonly around: string | null;
  readonly onFocus: (place: number) => void;
  readonly onLocal: (path: string) => void;
  readonly onClose: () => void;
}) {
  const { chart, shown, place, around } = props;
  const node = chart.nodes[place];
  if (node === undefined) return null;
  const { out, into } = neighboursOf(chart, place);
  const lists = [
    ['Links to', out],
    ['Linked from', into],
  ] as const;
  return (
    <section class="graph-near" aria-label="The note that is looked at">
      <div class="graph-near-head">
        <h2 dir="auto">{node.kind === 'note' ? <NoteLink path={node.path} title={node.title} /> : node.title}</h2>
        <button type="button" class="icon-button" aria-label="Look at no note" onClick={props.onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p class="quiet" dir="auto">
        {describe(node)}
      </p>
      {node.kind === 'note' && node.path !== around ? (
        <button type="button" onClick={() => props.onLocal(node.path)}>
          <Icon name="graph" />
          Its surroundings
        </button>
      ) : null}
      {lists.map(([title, places]) => (
        <Neighbours
          key={`${title} ${node.id}`}
          title={title}
          places={places.filter((each) => shown[each] === 1)}
          chart={chart}
          onFocus={props.onFocus}
        />
      ))}
    </section>
  );
}

function Neighbours({
  title,
  places,
  chart,
  onFocus,
}: {
  readonly title: string;
  readonly places: readonly number[];
  readonly chart: Chart;
  readonly onFocus: (place: number) => void;
}) {
  const [isWhole, setWhole] = useState(false);
  if (places.length === 0) return null;
  const listed = isWhole ? places : places.slice(0, FIRST);
  return (
    <>
      <h3>
        {title} <span class="quiet">{places.length}</span>
      </h3>
      <ul class="graph-list">
        {listed.map((place) => (
          <NodeButton key={chart.nodes[place]?.id} node={chart.nodes[place]} onFocus={() => onFocus(place)} />
        ))}
      </ul>
      {listed.length < places.length ? (
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          All {places.length}
        </button>
      ) : null}
    </>
  );
}

/** A node in a list: choosing it looks at it in the drawing too. */
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

const KIND = { unresolved: 'not written yet', attachment: 'attachment' } as const;

function describe({ kind, folder, type, tags }: MapNode): string {
  if (kind !== 'note') return KIND[kind];
  return [folder, type, ...tags.slice(0, 6).map((tag) => `#${tag}`)].filter((part) => part !== null && part !== '').join(' · ');
}
