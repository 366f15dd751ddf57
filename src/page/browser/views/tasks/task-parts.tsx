import { useEffect, useState } from 'preact/hooks';
import { Agent } from '../../parts/agent.tsx';
import { formatCount } from '../../parts/files/count.ts';
import { withQuery } from '../../router.ts';
import { formatClock, formatEnd, STATES, you } from './board.ts';
import type { BoardAnswer, TaskRef, Reason, TaskState } from './board.ts';

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Shows the state of a task as a sign and a word, in the color of the state. */
export function StateBadge({ state }: { readonly state: TaskState }) {
  const { word, sign } = STATES[state];
  return (
    <span class={`task-state task-${state}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

/** A link that opens a task beside the board. */
export function TaskLink({ task, class: className }: { readonly task: TaskRef; readonly class?: string }) {
  return (
    <a class={className} href={withQuery({ task: task.id })} dir="auto" data-task={task.id}>
      {task.summary}
    </a>
  );
}

/** Shows the agent that has claimed a task, and how long the claim counts. */
export function Holder({
  holder,
  until,
  onEnd,
}: {
  readonly holder: string;
  readonly until?: string | undefined;
  readonly onEnd?: () => void;
}) {
  return (
    <span class="task-holding">
      <Agent name={holder} /> {holder === you.value ? '(you) ' : null}
      {until === undefined ? formatEnd(until) : <Countdown until={until} onEnd={onEnd} />}
    </span>
  );
}

/** Shows the connected agents, and how many tasks each of them holds. */
export function Connected({ agents }: { readonly agents: BoardAnswer['connected'] }) {
  if (agents.length === 0) return null;
  return (
    <span class="board-connected quiet">
      Connected:
      {agents.map(({ agent, tasks }, at) => (
        <span key={at}>
          <Agent name={agent} />
          {tasks === 0 ? null : ` with ${formatCount(tasks, 'task')}`}
        </span>
      ))}
    </span>
  );
}

/** Lists why a task is blocked. */
export function Reasons({ why, more = 0 }: { readonly why: readonly Reason[]; readonly more?: number | undefined }) {
  return (
    <ul class="task-reasons">
      {why.map((reason, at) => (
        <li key={at}>
          <ReasonText reason={reason} />
        </li>
      ))}
      {more === 0 ? null : <li>and {more} more</li>}
    </ul>
  );
}

function ReasonText({ reason }: { readonly reason: Reason }) {
  switch (reason.kind) {
    case 'circle':
      return <strong>is in a dependency cycle</strong>;
    case 'hand':
      return reason.text === '' ? <>marked as blocked</> : <span dir="auto">{reason.text}</span>;
    case 'missing':
      return (
        <>
          waits for <bdi>[[{reason.text}]]</bdi>, which is not a task
        </>
      );
    case 'task':
      return (
        <>
          waits for <TaskLink task={reason} />
          {reason.holder === undefined ? null : (
            <>
              {' '}
              <Agent name={reason.holder} />
            </>
          )}
        </>
      );
  }
}

/** Shows how many tasks of a project, or subtasks of a task, are done. */
export function Progress({ resolved, total, label }: { readonly resolved: number; readonly total: number; readonly label: string }) {
  return (
    <span class="task-progress">
      <progress value={resolved} max={Math.max(1, total)} aria-label={label} /> {resolved} of {total} done
    </span>
  );
}

/** Shows when a claim expires and the time left. Calls `onEnd` once when it has expired. `until`: ISO 8601. */
function Countdown({ until, onEnd }: { readonly until: string; readonly onEnd?: (() => void) | undefined }) {
  const end = Date.parse(until);
  const [now, setNow] = useState(Date.now());
  const left = end - now;
  const isOver = left <= 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setTimeout(() => setNow(Date.now()), left > 90_000 ? 15_000 : 1_000);
    return () => clearTimeout(timer);
  }, [now, until]);
  useEffect(() => {
    if (isOver) onEnd?.();
  }, [isOver]);
  if (Number.isNaN(end)) return <span>{until}</span>;
  return (
    <time dateTime={until} title={full.format(end)}>
      {isOver
        ? 'just expired'
        : `until ${formatClock(until)}, ${left < 60_000 ? `${Math.ceil(left / 1000)} s` : formatRemaining(left)} left`}
    </time>
  );
}

function formatRemaining(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}` : `${Math.floor(hours / 24)} days`;
}
