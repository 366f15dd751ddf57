import { Agent } from '../../parts/agent.tsx';
import { Countdown } from './countdown.tsx';
import { withQuery } from '../../router.ts';
import { STATES } from './board.ts';
import type { TaskRef, Reason, TaskState } from './board.ts';

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

/** Shows the agent that has claimed a task, and when the claim expires. */
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
      <Agent name={holder} /> {until === undefined ? null : <Countdown until={until} onEnd={onEnd} />}
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
