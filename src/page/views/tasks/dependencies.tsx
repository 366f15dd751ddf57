import { useMemo } from 'preact/hooks';
import { Empty } from '../../parts/states.tsx';
import { count } from './board.ts';
import type { Shown } from './columns.tsx';
import { layOut } from './layers.ts';
import type { Placed } from './layers.ts';
import { StateBadge, TaskLink } from './task-parts.tsx';

/** More than this is no picture any more. */
const MOST = 300;
/** In rem: a box and what is between two. */
const WIDTH = 11.5;
const HEIGHT = 4.5;
const ACROSS = 3;
const DOWN = 1;

/** What waits for what: each task behind those that it waits for, the longest chain with thick lines. */
export function Dependencies({ tasks, critical, chosen }: Shown) {
  const open = useMemo(() => {
    const all = layOut(tasks);
    // Of a large project what is done is left out: it holds nothing up.
    return all.placed.length <= MOST ? all : layOut(tasks.filter(({ state }) => state !== 'done'));
  }, [tasks]);
  if (open.placed.length === 0) return <Empty title="No task waits for another">Dependencies between tasks are drawn here.</Empty>;
  if (open.placed.length > MOST)
    return (
      <Empty title="Too much for a picture">{count(open.placed.length, 'task')} hang together; the columns and the tree show them.</Empty>
    );
  const width = open.layers * (WIDTH + ACROSS) - ACROSS;
  const height = open.rows * (HEIGHT + DOWN) - DOWN;
  return (
    <div class="dependencies" tabIndex={0} role="group" aria-label="Dependencies, from left to right in the order of work">
      <div class="dependencies-sheet" style={{ width: `${width}rem`, height: `${height}rem` }}>
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {open.edges.map(({ from, to }) => {
            const isCritical = critical.has(from.task.id) && critical.has(to.task.id);
            return (
              <path
                key={`${from.task.id} ${to.task.id}`}
                class={`edge ${isCritical ? 'edge-critical' : ''} ${from.task.state === 'done' ? 'edge-done' : ''}`}
                d={curve(from, to)}
              />
            );
          })}
        </svg>
        <ol>
          {open.placed.map((each) => (
            <li
              key={each.task.id}
              class={`box box-${each.task.state}`}
              data-critical={critical.has(each.task.id)}
              data-chosen={chosen === each.task.id}
              style={{ left: `${cornerOf(each).x}rem`, top: `${cornerOf(each).y}rem`, width: `${WIDTH}rem`, height: `${HEIGHT}rem` }}
            >
              <TaskLink task={each.task} class="box-title" />
              <StateBadge state={each.task.state} />
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

function cornerOf({ layer, row }: Placed): { readonly x: number; readonly y: number } {
  return { x: layer * (WIDTH + ACROSS), y: row * (HEIGHT + DOWN) };
}

function curve(from: Placed, to: Placed): string {
  const [a, b] = [cornerOf(from), cornerOf(to)];
  const [x1, y1, x2, y2] = [a.x + WIDTH, a.y + HEIGHT / 2, b.x, b.y + HEIGHT / 2];
  const bend = Math.max(ACROSS / 2, Math.abs(x2 - x1) / 3);
  return `M ${x1} ${y1} C ${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
