import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { NewNoteButton } from '../note/edit/new-note.tsx';
import { formatCount } from '../../parts/files/count.ts';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure } from '../../parts/states.tsx';
import { navigate, noteAddress, outerAddress, withQuery } from '../../router.ts';
import { session } from '../../session.ts';
import type { ViewComponent } from '../view.ts';
import type { Scene } from './canvas/scene.ts';
import { EMPTY_GRAPH, buildGraph } from './graph-model.ts';
import type { GraphData } from './graph-model.ts';
import { findMatches, readOptions, getVisible } from './options.ts';
import { GraphBar } from './graph-bar.tsx';
import { GraphCanvas, prefersReducedMotion } from './graph-canvas.tsx';
import { GraphPanel } from './graph-panel.tsx';
import { groupNodes } from './groups.ts';
import { NeighborList } from './neighbor-list.tsx';
import { NodeList } from './node-list.tsx';
import { SearchField } from './search-field.tsx';
import { useSearchMatches } from './use-search-matches.ts';
import { useMap } from './use-map.ts';
import type { MapState } from './use-map.ts';

/** Sets parameters of the query string; null removes one, so that its default applies. */
type SetOptions = (values: Readonly<Record<string, string | null>>) => void;

/** What the canvas shows while there is nothing to be seen. */
const NOTHING_DRAWN = { graph: EMPTY_GRAPH, shown: new Uint8Array(0), matches: null, colorOf: new Int8Array(0), focused: null } as const;

/** The notes and their links as a map: the whole vault, or the neighborhood of a note. */
export const GraphView: ViewComponent = ({ address }) => {
  const options = useMemo(() => readOptions(address.query), [address.query.toString()]);
  const { around, depth, attachments } = options;
  const map = useMap({ around, depth, attachments });
  const graph = useMemo(() => (map.nodes === null ? EMPTY_GRAPH : buildGraph([...map.nodes.values()])), [map.nodes]);
  const found = useSearchMatches(options.query);
  const shown = useMemo(() => getVisible(graph, options), [graph, options]);
  const matches = useMemo(() => findMatches(graph, options.query, found.ranks), [graph, options.query, found.ranks]);
  // The beginnings of a first layout are no picture of the vault.
  const isHidden =
    map.layout.state === 'computing' && map.layout.is_first === true && (map.layout.done < 0.5 || graph.nodes.length < 30_000);
  const { groups, colorOf } = useMemo(() => groupNodes(graph, options.color), [graph, options.color]);
  const center = around === null ? null : (graph.nodes[0] ?? null);
  const [focused, focus] = useFocus(graph, `${around ?? ''} ${center?.id ?? ''}`, center?.id ?? null);
  const [isMissing, setMissing] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const scene = useRef<Scene | null>(null);
  const help = useId();
  usePageTitle(center === null ? 'Graph' : `Around ${center.title}`);

  const setOptions: SetOptions = (values) => navigate(withQuery(values), { replace: true });
  const lookAt = (index: number): void => {
    focus(index);
    scene.current?.goTo(index, prefersReducedMotion());
  };
  const goAround = (path: string): void => navigate(`/graph?around=${encodeURIComponent(path)}`);
  const open = (index: number, how: { readonly isLocal?: boolean; readonly isNewTab?: boolean }): void => {
    const node = graph.nodes[index];
    if (node?.kind !== 'note') return focus(index);
    if (how.isLocal === true) return goAround(node.path);
    if (how.isNewTab === true) return void window.open(outerAddress(noteAddress(node.path)), '_blank', 'noopener');
    navigate(noteAddress(node.path));
  };

  const heading = <h1 class="visually-hidden">{center === null ? 'Graph' : `Around ${center.title}`}</h1>;
  if (map.nodes === null ? map.error !== null : graph.nodes.length === 0) return <NoGraph map={map} around={around} />;
  return (
    <div class="graph-view" data-open={isOpen} data-layout={map.layout.state}>
      {heading}
      <Keys id={help} />
      <p class="visually-hidden" role="status">
        {focused === null ? '' : `${graph.nodes[focused]?.title ?? ''}, ${graph.degree[focused] ?? 0} links`}
      </p>
      {isMissing ? (
        <NodeList graph={graph} shown={shown} matches={matches} onFocus={lookAt} />
      ) : (
        <GraphCanvas
          {...(isHidden ? NOTHING_DRAWN : { graph, shown, matches, colorOf, focused })}
          scene={scene}
          hasArrows={options.arrows}
          storageKey={around === null ? `roux-graph ${session.value?.vault ?? ''}` : null}
          mapKey={`${around ?? ''} ${map.nodes === null ? '' : map.key}`}
          describedBy={help}
          onPick={(index, pick) => {
            // Touch has no hover: the first tap focuses a node, the second one opens it.
            if (index === null || (pick.isTouch && index !== focused)) focus(index);
            else open(index, pick);
          }}
          onFocus={focus}
          onOpen={(index, isLocal) => open(index, { isLocal })}
          onMissing={() => setMissing(true)}
        />
      )}
      {isHidden ? <LayoutProgress done={map.layout.done} /> : null}
      <GraphBar {...{ map, graph, shown, matches, isOpen }} scene={isMissing ? null : scene} onToggle={() => setOpen(!isOpen)} />
      <aside class="graph-side" id="graph-side" aria-label="What the graph shows">
        {map.error === null ? null : <Failure error={map.error} reload={map.retry} />}
        {around === null ? null : <Around title={center?.title ?? around} depth={depth} setOptions={setOptions} />}
        <SearchField
          query={options.query}
          onInput={(query) => setOptions({ q: query })}
          best={found.isCurrent ? ([...(matches ?? [])].find((index) => shown[index] === 1) ?? null) : undefined}
          onEnter={lookAt}
        />
        {focused === null ? null : (
          <NeighborList {...{ graph, shown, around }} index={focused} onFocus={lookAt} onLocal={goAround} onClose={() => focus(null)} />
        )}
        {isMissing || matches === null || focused !== null ? null : (
          <NodeList graph={graph} shown={shown} matches={matches} onFocus={lookAt} />
        )}
        <GraphPanel {...{ graph, options, groups, setOptions }} />
      </aside>
    </div>
  );
};

/**
 * Returns the index of the focused node, and a function that sets it. `initialId`: the node that a map starts with. The pick carries the id
 * of its map, because an effect that reset it could run after a key press on a busy machine.
 */
function useFocus(graph: GraphData, mapId: string, initialId: number | null) {
  const [picked, setPicked] = useState<{ readonly mapId: string; readonly id: number | null } | null>(null);
  const id = picked?.mapId === mapId ? picked.id : initialId;
  const focused = id === null ? null : (graph.indexById.get(id) ?? null);
  const focus = (index: number | null): void => setPicked({ mapId, id: index === null ? null : (graph.nodes[index]?.id ?? null) });
  return [focused, focus] as const;
}

/** How the graph is used by keys, for screen readers. */
function Keys({ id }: { readonly id: string }) {
  return (
    <p class="visually-hidden" id={id}>
      Arrow keys follow the links of the selected note, Enter opens it, L shows the notes around it, Shift and arrow keys move the graph,
      plus and minus zoom, 0 shows everything. The lists beside the graph have the same notes.
    </p>
  );
}

/** What is shown where there is no graph: an error, or what to do in a vault without notes. */
function NoGraph({ map, around }: { readonly map: MapState; readonly around: string | null }) {
  const hasFailed = map.error !== null && map.nodes === null;
  return (
    <div class="graph-nothing">
      <h1>Graph</h1>
      {hasFailed ? (
        <Failure error={map.error} reload={map.retry} />
      ) : (
        <>
          <Empty title="There are no notes yet">As soon as the vault has notes that link to one another, they are drawn here.</Empty>
          <NewNoteButton isPrimary />
        </>
      )}
      {hasFailed && around !== null ? <a href="/graph">The whole vault</a> : null}
    </div>
  );
}

/** How far the first layout is. What is being laid out is said by the bar. */
function LayoutProgress({ done }: { readonly done: number }) {
  return (
    <div class="graph-progress">
      <progress aria-label="Layout" max={1} value={done} />
      <p>The notes are laid out once. The next time they are here at once.</p>
    </div>
  );
}

/** The note that the map is around, and how many steps from it are shown. */
function Around(props: { readonly title: string; readonly depth: number; readonly setOptions: SetOptions }) {
  return (
    <section class="graph-around">
      <p>
        Around <bdi>{props.title}</bdi>
      </p>
      <div class="graph-steps" role="group" aria-label="Steps">
        {[1, 2, 3].map((steps) => (
          <button
            key={steps}
            type="button"
            aria-pressed={props.depth === steps}
            onClick={() => props.setOptions({ depth: steps === 1 ? null : String(steps) })}
          >
            {formatCount(steps, 'step')}
          </button>
        ))}
      </div>
      <a href="/graph">The whole vault</a>
    </section>
  );
}
