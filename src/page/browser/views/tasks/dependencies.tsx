import { useMemo } from 'preact/hooks';
import { Empty } from '../../parts/states.tsx';
import { formatCount } from '../../parts/files/count.ts';
import type { TaskLayoutProps } from './columns.tsx';
import { layOut } from './layers.ts';
import type { PlacedTask } from './layers.ts';
import { StateBadge, TaskLink } from './task-parts.tsx';

const MAX_DRAWN_TASKS = 300;
const BOX_WIDTH_REM = 11.5;
const BOX_HEIGHT_REM = 4.5;
const COLUMN_GAP_REM = 3;
const ROW_GAP_REM = 1;

/** Draws the dependencies: each task to the right of those that it depends on, with the critical path in bold. */
export function Dependencies({ tasks, critical, chosen }: TaskLayoutProps) {
  const open = useMemo(() => {
    const all = layOut(tasks);
    // Leave out finished tasks of a large project: they block nothing.
    return all.placed.length <= MAX_DRAWN_TASKS ? all : layOut(tasks.filter(({ state }) => state !== 'done'));
  }, [tasks]);
  if (open.placed.length === 0) return <Empty title="No task waits for another">This view draws the dependencies between tasks.</Empty>;
  if (open.placed.length > MAX_DRAWN_TASKS)
    return (
      <Empty title="Too many tasks to draw">
        {formatCount(open.placed.length, 'task')} are connected by dependencies. Use the columns or the tree instead.
      </Empty>
    );
  const width = open.layers * (BOX_WIDTH_REM + COLUMN_GAP_REM) - COLUMN_GAP_REM;
  const height = open.rows * (BOX_HEIGHT_REM + ROW_GAP_REM) - ROW_GAP_REM;
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
              style={{
                left: `${cornerOf(each).x}rem`,
                top: `${cornerOf(each).y}rem`,
                width: `${BOX_WIDTH_REM}rem`,
                height: `${BOX_HEIGHT_REM}rem`,
              }}
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

function cornerOf({ layer, row }: PlacedTask): { readonly x: number; readonly y: number } {
  return { x: layer * (BOX_WIDTH_REM + COLUMN_GAP_REM), y: row * (BOX_HEIGHT_REM + ROW_GAP_REM) };
}

function curve(from: PlacedTask, to: PlacedTask): string {
  const [a, b] = [cornerOf(from), cornerOf(to)];
  const [x1, y1, x2, y2] = [a.x + BOX_WIDTH_REM, a.y + BOX_HEIGHT_REM / 2, b.x, b.y + BOX_HEIGHT_REM / 2];
  const bend = Math.max(COLUMN_GAP_REM / 2, Math.abs(x2 - x1) / 3);
  return `M ${x1} ${y1} C ${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
