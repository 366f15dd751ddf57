import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../../parts/files/count.ts';
import { Failure } from '../../../parts/states.tsx';
import { navigate, noteAddress } from '../../../router.ts';
import { readStored, store } from '../../../stored.ts';
import type { Scene } from '../../graph/canvas/scene.ts';
import { GraphCanvas, prefersReducedMotion } from '../../graph/graph-canvas.tsx';
import { EMPTY_GRAPH, buildGraph } from '../../graph/graph-model.ts';
import { groupNodes } from '../../graph/groups.ts';
import { getVisible, readOptions } from '../../graph/options.ts';
import { useMap } from '../../graph/use-map.ts';

const OPTIONS = readOptions(new URLSearchParams('unresolved=1'));

/** The notes up to three steps away from a note, and unresolved links. */
export function LocalGraph({ path }: { readonly path: string }) {
  const [depth, setDepth] = useState(() => toDepth(readStored('local-graph-depth')));
  const map = useMap({ around: path, depth, attachments: false });
  const graph = useMemo(() => (map.nodes === null ? EMPTY_GRAPH : buildGraph([...map.nodes.values()])), [map.nodes]);
  const shown = useMemo(() => getVisible(graph, OPTIONS), [graph]);
  const { colorOf } = useMemo(() => groupNodes(graph, 'folder'), [graph]);
  const [focusedId, setFocusedId] = useState<number | null>(null);
  const [isMissing, setMissing] = useState(false);
  const scene = useRef<Scene | null>(null);
  const help = useId();
  const focused = graph.indexById.get(focusedId ?? graph.nodes[0]?.id ?? -1) ?? null;
  const focus = (index: number | null): void => setFocusedId(index === null ? null : (graph.nodes[index]?.id ?? null));
  const open = (index: number): void => {
    const node = graph.nodes[index];
    if (node !== undefined && node.kind !== 'attachment') navigate(noteAddress(node.path));
  };
  const choose = (steps: 1 | 2 | 3): void => {
    setDepth(steps);
    store('local-graph-depth', steps);
  };
  if (map.error !== null && map.nodes === null) return <Failure error={map.error} reload={map.retry} />;
  const neighbors = graph.nodes.length - 1;
  return (
    <>
      <p class="visually-hidden" id={help}>
        Arrow keys follow the links of the selected note, Enter opens it. The lists of links of this note have the same notes.
      </p>
      <p class="visually-hidden" role="status">
        {focusedId === null || focused === null ? '' : (graph.nodes[focused]?.title ?? '')}
      </p>
      {isMissing ? (
        <p class="quiet">This browser cannot draw graphs (it has no WebGL).</p>
      ) : map.nodes !== null && neighbors <= 0 ? (
        <p class="quiet">This note has no links to other notes, and none link to it.</p>
      ) : (
        <GraphCanvas
          {...{ graph, shown, colorOf, focused, scene }}
          matches={null}
          hasArrows={false}
          storageKey={null}
          mapKey={`${path} ${depth} ${map.nodes === null ? '' : map.key}`}
          describedBy={help}
          onPick={(index, pick) => {
            if (index === null || (pick.isTouch && index !== focused)) focus(index);
            else if (pick.isNewTab) window.open(noteAddress(graph.nodes[index]?.path ?? ''), '_blank', 'noopener');
            else open(index);
          }}
          onFocus={(index) => {
            focus(index);
            if (index !== null && scene.current?.isOutOfView(index) === true) scene.current.goTo(index, prefersReducedMotion());
          }}
          onOpen={open}
          onMissing={() => setMissing(true)}
        />
      )}
      <div class="local-graph-foot">
        <div class="local-graph-steps" role="group" aria-label="Steps from this note">
          {([1, 2, 3] as const).map((steps) => (
            <button
              key={steps}
              type="button"
              aria-pressed={steps === depth}
              aria-label={formatCount(steps, 'step')}
              onClick={() => choose(steps)}
            >
              {steps}
            </button>
          ))}
        </div>
        <a href={`/graph?around=${encodeURIComponent(path)}${depth === 1 ? '' : `&depth=${depth}`}`}>Open in the graph</a>
      </div>
    </>
  );
}

function toDepth(stored: unknown): 1 | 2 | 3 {
  return stored === 2 || stored === 3 ? stored : 1;
}
