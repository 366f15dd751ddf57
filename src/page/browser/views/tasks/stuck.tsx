import { formatCount } from '../../parts/files/count.ts';
import { STATES } from './board.ts';
import type { Board, Blocker } from './board.ts';
import { Holder, Reasons, TaskLink } from './task-parts.tsx';

/** Summarizes what is blocked and by what, and the critical path. */
export function Stuck({ board, onEnd }: { readonly board: Board; readonly onEnd: () => void }) {
  const { circles, holding_up: holding, critical_path: path, problems, blocked, claimed, unresolved } = board;
  const isCalm = circles.length === 0 && blocked === 0;
  return (
    <section class="stuck" aria-labelledby="stuck-title">
      <h2 id="stuck-title">
        {isCalm
          ? unresolved === 0
            ? 'All tasks are done'
            : 'Nothing is stuck'
          : `${formatCount(blocked, 'task')} ${blocked === 1 ? 'is' : 'are'} blocked`}
      </h2>
      {isCalm && unresolved > 0 ? (
        <p>
          {formatCount(board.ready, 'task')} {board.ready === 1 ? 'is' : 'are'} ready{claimed > 0 ? `, ${claimed} in progress` : ''}.
        </p>
      ) : null}
      {circles.map((circle, at) => (
        <p class="stuck-circle" key={at}>
          <strong>{circle.length === 1 ? 'Depends on itself:' : 'Dependency cycle, so none of these can be done:'}</strong>{' '}
          {circle.map((task, place) => (
            <span key={task.id}>
              {place === 0 ? '' : ' ↔ '}
              <TaskLink task={task} />
            </span>
          ))}
        </p>
      ))}
      {holding.length === 0 ? null : (
        <ul class="stuck-holding" aria-label="Tasks that block the most">
          {holding.map((task) => (
            <BlockerRow key={task.id} task={task} onEnd={onEnd} />
          ))}
        </ul>
      )}
      {path.length < 2 ? null : (
        <details class="stuck-path">
          <summary>Longest dependency chain: {formatCount(path.length, 'task')}</summary>
          <ol>
            {path.tasks.map((task) => (
              <li key={task.id}>
                <TaskLink task={task} />
              </li>
            ))}
            {path.tasks.length < path.length ? <li>and more</li> : null}
          </ol>
        </details>
      )}
      {problems.length === 0 ? null : (
        <details class="stuck-problems">
          <summary>{formatCount(problems.length, 'problem')} to fix in the notes</summary>
          <ul>
            {problems.map((problem, at) => (
              <li key={at} dir="auto">
                {problem}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function BlockerRow({ task, onEnd }: { readonly task: Blocker; readonly onEnd: () => void }) {
  return (
    <li>
      <TaskLink task={task} /> <span class="stuck-count">blocks {formatCount(task.waiting, 'task')}</span>{' '}
      {task.holder !== undefined ? (
        <Holder holder={task.holder} until={task.until} onEnd={onEnd} />
      ) : task.why !== undefined ? (
        <Reasons why={task.why} />
      ) : (
        <span class="quiet">{task.state === 'ready' ? 'ready, unassigned' : STATES[task.state].word.toLowerCase()}</span>
      )}
    </li>
  );
}
