import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { navigate, noteAddress, withQuery } from '../../router.ts';
import { session } from '../../session.ts';
import type { ViewComponent } from '../view.ts';
import type { Scene } from './canvas/scene.ts';
import { EMPTY_GRAPH, buildGraph } from './graph-model.ts';
import { findMatches, readOptions, getVisible } from './options.ts';
import { GraphCanvas, prefersReducedMotion } from './graph-canvas.tsx';
import { GraphPanel } from './graph-panel.tsx';
import { groupNodes } from './groups.ts';
import { NeighborList } from './neighbor-list.tsx';
import { NodeList } from './node-list.tsx';
import { useSearchMatches } from './use-search-matches.ts';
import { useMap } from './use-map.ts';

/** The notes and their links as a map: the whole vault, or the neighborhood of a note. */
export const GraphView: ViewComponent = ({ address }) => {
  const options = useMemo(() => readOptions(address.query), [address.query.toString()]);
  const { around, depth, attachments } = options;
  const map = useMap({ around, depth, attachments });
  const graph = useMemo(() => (map.nodes === null ? EMPTY_GRAPH : buildGraph([...map.nodes.values()])), [map.nodes]);
  const found = useSearchMatches(options.query);
  const shown = useMemo(() => getVisible(graph, options), [graph, options]);
  const matches = useMemo(() => findMatches(graph, options.query, found), [graph, options.query, found]);
  const { groups, colorOf } = useMemo(() => groupNodes(graph, options.color), [graph, options.color]);
  const center = around === null ? null : (graph.nodes[0] ?? null);
  // A map around a note starts with that note focused. The pick carries the id of its map because an effect that reset it could run after a
  // key press on a busy machine.
  const mapId = `${around ?? ''} ${center?.id ?? ''}`;
  const [picked, setPicked] = useState<{ readonly mapId: string; readonly id: number | null }>({ mapId, id: null });
  const focusedId = picked.mapId === mapId ? picked.id : (center?.id ?? null);
  const focused = focusedId === null ? null : (graph.indexById.get(focusedId) ?? null);
  const [isMissing, setMissing] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const scene = useRef<Scene | null>(null);
  const help = useId();
  usePageTitle(center === null ? 'Graph' : `Around ${center.title}`);

  const setOptions = (values: Readonly<Record<string, string | null>>): void => navigate(withQuery(values), { replace: true });
  const focus = (index: number | null): void => setPicked({ mapId, id: index === null ? null : (graph.nodes[index]?.id ?? null) });
  const lookAt = (index: number): void => {
    focus(index);
    scene.current?.goTo(index, prefersReducedMotion());
  };
  const goAround = (path: string): void => navigate(`/graph?around=${encodeURIComponent(path)}`);
  const open = (index: number, how: { readonly isLocal?: boolean; readonly isNewTab?: boolean }): void => {
    const node = graph.nodes[index];
    if (node?.kind !== 'note') return focus(index);
    if (how.isLocal === true) return goAround(node.path);
    if (how.isNewTab === true) return void window.open(noteAddress(node.path), '_blank', 'noopener');
    navigate(noteAddress(node.path));
  };

  const count = graph.nodes.filter(({ kind }, at) => kind === 'note' && shown[at] === 1).length;
  const total = graph.nodes.filter(({ kind }) => kind === 'note').length;
  const isEmpty = map.nodes !== null && graph.nodes.length === 0;
  const heading = <h1 class="visually-hidden">{center === null ? 'Graph' : `Around ${center.title}`}</h1>;
  if (map.error !== null && map.nodes === null) {
    return (
      <div class="graph-nothing">
        {heading}
        <Failure error={map.error} reload={map.retry} />
        {around === null ? null : <a href="/graph">The whole vault</a>}
      </div>
    );
  }
  if (isEmpty) {
    return (
      <div class="graph-nothing">
        {heading}
        <Empty title="There are no notes yet">As soon as the vault has notes that link to one another, they are drawn here.</Empty>
      </div>
    );
  }
  return (
    <div class="graph-view" data-open={isOpen} data-layout={map.layout.state}>
      {heading}
      <p class="visually-hidden" id={help}>
        Arrow keys follow the links of the selected note, Enter opens it, L shows the notes around it, Shift and arrow keys move the graph,
        plus and minus zoom, 0 shows everything. The lists beside the graph have the same notes.
      </p>
      <p class="visually-hidden" role="status">
        {focused === null ? '' : `${graph.nodes[focused]?.title ?? ''}, ${graph.degree[focused] ?? 0} links`}
      </p>
      {isMissing ? (
        <NodeList graph={graph} shown={shown} matches={matches} onFocus={lookAt} />
      ) : (
        <GraphCanvas
          {...{ graph, shown, matches, colorOf, focused, scene }}
          hasArrows={options.arrows}
          storageKey={around === null ? `roux-graph ${session.value?.vault ?? ''}` : null}
          mapKey={`${around ?? ''} ${map.nodes === null ? '' : map.key}`}
          describedBy={help}
          onHover={() => undefined}
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
      <div class="graph-bar">
        <p class="graph-count" role="status">
          {map.nodes === null ? (
            <Loading what="the graph" />
          ) : map.layout.state === 'computing' ? (
            `Laying out ${total.toLocaleString('en')} notes… ${Math.round(map.layout.done * 100)} %`
          ) : (
            `${count === total ? '' : `${count.toLocaleString('en')} of `}${total.toLocaleString()} ${total === 1 ? 'note' : 'notes'}${matches === null ? '' : `, ${matches.size.toLocaleString()} found`}`
          )}
          {map.layout.state === 'failed' ? ' The graph could not be laid out. roux tries again when links change.' : ''}
          {map.leftOut > 0 ? ` ${map.leftOut.toLocaleString('en')} more are not drawn.` : ''}
        </p>
        {isMissing ? null : (
          <div class="graph-buttons">
            <button type="button" class="icon-button" aria-label="Zoom in" onClick={() => scene.current?.zoom(1.5, prefersReducedMotion())}>
              <span aria-hidden="true">+</span>
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label="Zoom out"
              onClick={() => scene.current?.zoom(1 / 1.5, prefersReducedMotion())}
            >
              <span aria-hidden="true">−</span>
            </button>
            <button type="button" class="icon-button" aria-label="Show all" onClick={() => scene.current?.fit(prefersReducedMotion())}>
              <span aria-hidden="true">⤢</span>
            </button>
          </div>
        )}
        <button type="button" class="graph-toggle" aria-expanded={isOpen} aria-controls="graph-side" onClick={() => setOpen(!isOpen)}>
          <Icon name="menu" />
          {isOpen ? 'Close' : 'Search and filter'}
        </button>
      </div>
      <aside class="graph-side" id="graph-side" aria-label="What the graph shows">
        {map.error === null ? null : <Failure error={map.error} reload={map.retry} />}
        {around === null ? null : (
          <section class="graph-around">
            <p>
              Around <bdi>{center?.title ?? around}</bdi>
            </p>
            <div class="graph-steps" role="group" aria-label="Steps">
              {[1, 2, 3].map((steps) => (
                <button
                  key={steps}
                  type="button"
                  aria-pressed={depth === steps}
                  onClick={() => setOptions({ depth: steps === 1 ? null : String(steps) })}
                >
                  {steps} {steps === 1 ? 'step' : 'steps'}
                </button>
              ))}
            </div>
            <a href="/graph">The whole vault</a>
          </section>
        )}
        <input
          type="search"
          data-main
          aria-label="Find in the graph"
          placeholder="Find in the graph"
          value={options.query}
          onInput={(event) => setOptions({ q: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Names first: the matches of the server's search arrive later, and the result must not depend on when.
            const named = findMatches(graph, options.query, new Set());
            const best = getMostLinked(named, graph.degree, shown) ?? getMostLinked(matches, graph.degree, shown);
            if (best !== null) lookAt(best);
          }}
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

/** Returns the visible match with the most links, or null. */
function getMostLinked(matches: ReadonlySet<number> | null, degree: Uint32Array, shown: Uint8Array): number | null {
  let best: number | null = null;
  for (const index of matches ?? []) if (shown[index] === 1 && (best === null || (degree[index] ?? 0) > (degree[best] ?? 0))) best = index;
  return best;
}
