import { useEffect, useRef } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import { Agent } from '../../parts/agent.tsx';
import { formatCount } from '../../parts/files/count.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { navigate, withQuery } from '../../router.ts';
import { focusCard } from './acts/focus-card.ts';
import { ActButtons } from './acts/act-buttons.tsx';
import type { Detail, Evidence, Neighbor } from './board.ts';
import { TaskHistory } from './history.tsx';
import { Holder, Reasons, StateBadge, TaskLink } from './task-parts.tsx';
import { Criteria, Handoff } from './handoff.tsx';

/** Shows a task beside its board: why it is blocked, what it blocks, its evidence and its history. */
export function TaskDetail({ id, onChange }: { readonly id: string; readonly onChange: () => void }) {
  const { value, error, reload } = useOperation('task_detail', { task: id });
  const isGone = error?.code === 'node_not_found';
  const close = (): void => {
    navigate(withQuery({ task: null }));
    focusCard(id);
  };
  return (
    <aside
      class="detail"
      aria-label="Task"
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close();
      }}
    >
      <button type="button" class="quiet-button detail-close" onClick={close}>
        <span aria-hidden="true">✕</span> Close
      </button>
      {isGone ? <Empty title="This task is gone">It was deleted, or its creation was undone.</Empty> : null}
      {error === null || isGone ? null : <Failure error={error} reload={reload} />}
      {value === null && error === null ? <Loading what="the task" /> : null}
      {value === null || isGone ? null : <Content detail={value} id={id} onChange={onChange} />}
    </aside>
  );
}

function Content({ detail, id, onChange }: { readonly detail: Detail; readonly id: string; readonly onChange: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Move the focus to the opened task, for keyboards and screen readers.
  useEffect(() => heading.current?.focus({ preventScroll: false }), [id]);
  const { task, ancestors } = detail;
  return (
    <>
      {ancestors.length === 0 ? null : (
        <p class="detail-path">
          {ancestors.map((above) => (
            <span key={above.id}>
              <TaskLink task={above} /> ›{' '}
            </span>
          ))}
        </p>
      )}
      <h2 tabIndex={-1} ref={heading} dir="auto">
        {detail.summary}
      </h2>
      <p class="detail-state">
        <StateBadge state={task.state} />
        {task.holder === undefined ? null : <Holder holder={task.holder} until={task.until} onEnd={onChange} />}
      </p>
      {task.why === undefined ? null : <Reasons why={task.why} more={task.why_more} />}
      <Cycle tasks={detail.circle} id={task.id} />
      <p class="detail-actions">
        <ActButtons task={task} />
        <NoteLink path={task.path} class="button">
          Open the note
        </NoteLink>
      </p>
      {detail.handoff === undefined ? null : <Handoff handoff={detail.handoff} />}
      {detail.criteria === undefined ? null : <Criteria criteria={detail.criteria} />}
      <Neighbors title="Waits for" tasks={detail.depends_on} />
      <Neighbors title="Blocks" tasks={detail.depended_by} />
      {detail.neighbors_omitted === 0 ? null : (
        <p class="quiet">{formatCount(detail.neighbors_omitted, 'dependency', 'dependencies')} more.</p>
      )}
      <Neighbors title={`Subtasks (${detail.child_count})`} tasks={detail.children} />
      <EvidenceList evidence={detail.evidence} older={detail.older_evidence} />
      <ContextLinks links={detail.context_links} />
      <Properties properties={detail.properties} />
      <TaskHistory history={detail.history} />
    </>
  );
}

/** `id`: the task that is shown. */
function Cycle({ tasks, id }: { readonly tasks: Detail['circle']; readonly id: string }) {
  if (tasks.length < 2) return null;
  return (
    <p>
      In a dependency cycle with{' '}
      {tasks
        .filter((each) => each.id !== id)
        .map((each, at) => (
          <span key={each.id}>
            {at === 0 ? '' : ', '}
            <TaskLink task={each} />
          </span>
        ))}
      : none of these tasks can be done until one dependency is removed.
    </p>
  );
}

function Neighbors({ title, tasks }: { readonly title: string; readonly tasks: readonly (Neighbor | { readonly missing: string })[] }) {
  if (tasks.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="detail-tasks">
        {tasks.map((task) =>
          'missing' in task ? (
            <li key={task.missing}>
              <bdi>[[{task.missing}]]</bdi> <span class="quiet">is not a task</span>
            </li>
          ) : (
            <li key={task.id}>
              <TaskLink task={task} /> <StateBadge state={task.state} /> {task.holder === undefined ? null : <Agent name={task.holder} />}
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

function EvidenceList({ evidence, older }: { readonly evidence: readonly Evidence[]; readonly older: Detail['older_evidence'] }) {
  if (evidence.length === 0 && older === undefined) return null;
  return (
    <section>
      <h3>Evidence</h3>
      <ul class="detail-evidence">
        {evidence.map((each, at) => (
          <li key={at}>
            <span class="evidence-type">{each.type}</span>{' '}
            {each.path === undefined ? <Reference text={each.ref} /> : <NoteLink path={each.path} title={each.title} />}{' '}
            <span class="quiet">
              <Agent name={each.agent} /> {each.timestamp === '' ? null : <Time at={each.timestamp} />}
            </span>
          </li>
        ))}
      </ul>
      {older === undefined ? null : (
        <p class="quiet">
          {formatCount(older.count, 'older piece')} in{' '}
          {older.notes.map((path, at) => (
            <span key={path}>
              {at === 0 ? '' : ', '}
              <NoteLink path={path} />
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

function ContextLinks({ links }: { readonly links: Detail['context_links'] }) {
  if (links.length === 0) return null;
  return (
    <section>
      <h3>Links</h3>
      <ul>
        {links.map(({ text, path, title }, at) => (
          <li key={at}>{path === undefined ? <Reference text={text} /> : <NoteLink path={path} title={title} />}</li>
        ))}
      </ul>
    </section>
  );
}

function Properties({ properties }: Pick<Detail, 'properties'>) {
  if (Object.keys(properties).length === 0) return null;
  return (
    <section>
      <h3>Properties</h3>
      <table class="detail-properties">
        <tbody>
          {Object.entries(properties).map(([key, value]) => (
            <tr key={key}>
              <th scope="row" dir="auto">
                {key}
              </th>
              <td dir="auto">{typeof value === 'string' ? value : JSON.stringify(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Shows a reference as a link if it is a web address, otherwise as text. */
function Reference({ text }: { readonly text: string }) {
  if (!/^https?:\/\/\S+$/i.test(text)) return <span dir="auto">{text}</span>;
  return (
    <a href={text} rel="noopener noreferrer" target="_blank" dir="auto">
      {text}
    </a>
  );
}
