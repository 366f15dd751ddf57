import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { navigate, noteAddress, withQuery } from '../../router.ts';
import { session } from '../../session.ts';
import type { ViewComponent } from '../view.ts';
import type { Stage } from './canvas/stage.ts';
import { EMPTY_CHART, toChart } from './chart.ts';
import { matchesOf, readChoices, shownOf } from './choices.ts';
import { GraphCanvas, isStill } from './graph-canvas.tsx';
import { GraphPanel } from './graph-panel.tsx';
import { groupNodes } from './groups.ts';
import { NearList } from './near-list.tsx';
import { NodeList } from './node-list.tsx';
import { useFound } from './use-found.ts';
import { useMap } from './use-map.ts';

/** The notes and their links as a map: the whole vault, or the surroundings of a note. */
export const GraphView: ViewComponent = ({ address }) => {
  const choices = useMemo(() => readChoices(address.query), [address.query.toString()]);
  const { around, depth, attachments } = choices;
  const asked = useMap({ around, depth, attachments });
  const chart = useMemo(() => (asked.nodes === null ? EMPTY_CHART : toChart([...asked.nodes.values()])), [asked.nodes]);
  const found = useFound(choices.query);
  const shown = useMemo(() => shownOf(chart, choices), [chart, choices]);
  const lit = useMemo(() => matchesOf(chart, choices.query, found), [chart, choices.query, found]);
  const { groups, colourOf } = useMemo(() => groupNodes(chart, choices.colour), [chart, choices.colour]);
  const center = around === null ? null : (chart.nodes[0] ?? null);
  // Around a note that one is looked at first. Of this map alone, and not set back by an effect: on a busy machine that may run after a key.
  const map = `${around ?? ''} ${center?.id ?? ''}`;
  const [picked, setPicked] = useState<{ readonly map: string; readonly id: number | null }>({ map, id: null });
  const focusedId = picked.map === map ? picked.id : (center?.id ?? null);
  const focused = focusedId === null ? null : (chart.at.get(focusedId) ?? null);
  const [isMissing, setMissing] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const stage = useRef<Stage | null>(null);
  const help = useId();
  usePageTitle(center === null ? 'Graph' : `Around ${center.title}`);

  const choose = (values: Readonly<Record<string, string | null>>): void => navigate(withQuery(values), { replace: true });
  const focus = (place: number | null): void => setPicked({ map, id: place === null ? null : (chart.nodes[place]?.id ?? null) });
  const lookAt = (place: number): void => {
    focus(place);
    stage.current?.goTo(place, isStill());
  };
  const goAround = (path: string): void => navigate(`/graph?around=${encodeURIComponent(path)}`);
  const open = (place: number, how: { readonly isLocal?: boolean; readonly isNewTab?: boolean }): void => {
    const node = chart.nodes[place];
    if (node?.kind !== 'note') return focus(place);
    if (how.isLocal === true) return goAround(node.path);
    if (how.isNewTab === true) return void window.open(noteAddress(node.path), '_blank', 'noopener');
    navigate(noteAddress(node.path));
  };

  const count = chart.nodes.filter(({ kind }, at) => kind === 'note' && shown[at] === 1).length;
  const total = chart.nodes.filter(({ kind }) => kind === 'note').length;
  const isEmpty = asked.nodes !== null && chart.nodes.length === 0;
  const heading = <h1 class="visually-hidden">{center === null ? 'Graph' : `Around ${center.title}`}</h1>;
  if (asked.error !== null && asked.nodes === null) {
    return (
      <div class="graph-nothing">
        {heading}
        <Failure error={asked.error} again={asked.again} />
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
    <div class="graph-view" data-open={isOpen} data-layout={asked.layout.state}>
      {heading}
      <p class="visually-hidden" id={help}>
        Arrow keys walk along the links of the note that is looked at, Enter opens it, L shows its surroundings, Shift and arrow keys move
        the graph, plus and minus zoom, 0 shows all. The same notes are in the lists beside.
      </p>
      <p class="visually-hidden" role="status">
        {focused === null ? '' : `${chart.nodes[focused]?.title ?? ''}, ${chart.degree[focused] ?? 0} links`}
      </p>
      {isMissing ? (
        <NodeList chart={chart} shown={shown} lit={lit} onFocus={lookAt} />
      ) : (
        <GraphCanvas
          {...{ chart, shown, lit, colourOf, focused, stage }}
          hasArrows={choices.arrows}
          keep={around === null ? `roux-graph ${session.value?.vault ?? ''}` : null}
          mapKey={`${around ?? ''} ${asked.nodes === null ? '' : asked.key}`}
          describedBy={help}
          onHover={() => undefined}
          onPick={(place, pick) => {
            // A finger has no hovering: the first touch looks, the second one opens.
            if (place === null || (pick.isTouch && place !== focused)) focus(place);
            else open(place, pick);
          }}
          onFocus={focus}
          onOpen={(place, isLocal) => open(place, { isLocal })}
          onMissing={() => setMissing(true)}
        />
      )}
      <div class="graph-bar">
        <p class="graph-count" role="status">
          {asked.nodes === null ? (
            <Loading what="the graph" />
          ) : asked.layout.state === 'computing' ? (
            `Laying out ${total.toLocaleString('en')} notes… ${Math.round(asked.layout.done * 100)} %`
          ) : (
            `${count === total ? '' : `${count.toLocaleString('en')} of `}${total.toLocaleString()} ${total === 1 ? 'note' : 'notes'}${lit === null ? '' : `, ${lit.size.toLocaleString()} found`}`
          )}
          {asked.layout.state === 'failed' ? ' The graph could not be laid out; it is tried again when links change.' : ''}
          {asked.leftOut > 0 ? ` ${asked.leftOut.toLocaleString('en')} more are not drawn.` : ''}
        </p>
        {isMissing ? null : (
          <div class="graph-buttons">
            <button type="button" class="icon-button" aria-label="Zoom in" onClick={() => stage.current?.zoom(1.5, isStill())}>
              <span aria-hidden="true">+</span>
            </button>
            <button type="button" class="icon-button" aria-label="Zoom out" onClick={() => stage.current?.zoom(1 / 1.5, isStill())}>
              <span aria-hidden="true">−</span>
            </button>
            <button type="button" class="icon-button" aria-label="Show all" onClick={() => stage.current?.fit(isStill())}>
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
        {asked.error === null ? null : <Failure error={asked.error} again={asked.again} />}
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
                  onClick={() => choose({ depth: steps === 1 ? null : String(steps) })}
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
          value={choices.query}
          onInput={(event) => choose({ q: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // By its name first: what has the words within comes a moment later, and would take its place by chance.
            const named = matchesOf(chart, choices.query, new Set());
            const best = bestOf(named, chart.degree, shown) ?? bestOf(lit, chart.degree, shown);
            if (best !== null) lookAt(best);
          }}
        />
        {focused === null ? null : (
          <NearList {...{ chart, shown, around }} place={focused} onFocus={lookAt} onLocal={goAround} onClose={() => focus(null)} />
        )}
        {isMissing || lit === null || focused !== null ? null : <NodeList chart={chart} shown={shown} lit={lit} onFocus={lookAt} />}
        <GraphPanel {...{ chart, choices, groups, choose }} />
      </aside>
    </div>
  );
};

/** Of what was found the node with the most links. */
function bestOf(lit: ReadonlySet<number> | null, degree: Uint32Array, shown: Uint8Array): number | null {
  let best: number | null = null;
  for (const place of lit ?? []) if (shown[place] === 1 && (best === null || (degree[place] ?? 0) > (degree[best] ?? 0))) best = place;
  return best;
}
