import { useEffect, useRef, useState } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import type { Result } from '../../operations.ts';
import { Agent } from '../../parts/agent.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { navigate, withQuery } from '../../router.ts';

type End = Result<'memory_entity'>['out'][number];

/** Shows an entity beside the list, with its observations and relations. */
export function EntityDetail({ path }: { readonly path: string }) {
  const [offset, setOffset] = useState(0);
  const { value, error, reload } = useOperation(
    'memory_entity',
    { path, offset },
    ({ paths, isListChanged }) => paths === null || isListChanged || paths.length > 0,
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const isThere = value !== null;
  useEffect(() => heading.current?.focus(), [path, isThere]);
  const close = (): void => {
    navigate(withQuery({ entity: null }));
    document.querySelector<HTMLElement>(`[data-entity="${CSS.escape(path)}"]`)?.focus();
  };
  return (
    <aside
      class="detail"
      aria-label="Entity"
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Escape') close();
      }}
    >
      <button type="button" class="quiet-button detail-close" onClick={close}>
        <span aria-hidden="true">✕</span> Close
      </button>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {value === null ? (
        error === null ? (
          <Loading what="the entity" />
        ) : null
      ) : (
        <>
          <h2 tabIndex={-1} ref={heading} dir="auto">
            {value.name}
          </h2>
          <p class="quiet">
            <bdi>{value.type}</bdi>
            {value.created_by === null ? null : (
              <>
                {' · by '}
                <Agent name={value.created_by} />
              </>
            )}
            {value.updated_at === null ? null : (
              <>
                {' · changed '}
                <Time at={value.updated_at} />
              </>
            )}
          </p>
          <p class="detail-actions">
            <NoteLink path={value.path} class="button">
              Open the note
            </NoteLink>
          </p>
          <Observations entity={value} offset={offset} setOffset={setOffset} />
          <Relations title="Outgoing relations" arrow="→" ends={value.out} total={value.out_count} />
          <Relations title="Incoming relations" arrow="←" ends={value.in} total={value.in_count} />
        </>
      )}
    </aside>
  );
}

function Observations({
  entity,
  offset,
  setOffset,
}: {
  readonly entity: Result<'memory_entity'>;
  readonly offset: number;
  readonly setOffset: (offset: number) => void;
}) {
  const { observations, observation_count: total } = entity;
  const end = offset + observations.length;
  return (
    <section>
      <h3>Observations ({total.toLocaleString('en')}), newest first</h3>
      {total === 0 ? <p class="quiet">None.</p> : null}
      <ul class="observations">
        {observations.map(({ text, characters }, at) => (
          <li key={offset + at} dir="auto">
            {text}
            {characters === undefined ? null : (
              <span class="quiet"> ({characters.toLocaleString('en')} characters; the note has all of it)</span>
            )}
          </li>
        ))}
      </ul>
      {offset === 0 && end === total ? null : (
        <p class="detail-actions">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(0)}>
            Newest
          </button>
          <button type="button" disabled={end >= total} onClick={() => setOffset(end)}>
            Older
          </button>
          <span class="quiet">
            {offset + 1} to {end} of {total}
          </span>
        </p>
      )}
    </section>
  );
}

function Relations({
  title,
  arrow,
  ends,
  total,
}: {
  readonly title: string;
  readonly arrow: string;
  readonly ends: readonly End[];
  readonly total: number;
}) {
  if (total === 0) return null;
  return (
    <section>
      <h3>
        {title} ({total.toLocaleString('en')})
      </h3>
      <ul class="detail-tasks">
        {ends.map((end, at) => (
          <li key={at}>
            <span class="relation">
              <span aria-hidden="true">{arrow}</span> <bdi>{end.relation}</bdi>
            </span>{' '}
            {end.path === undefined ? (
              <>
                <bdi>{end.name}</bdi> <span class="quiet">has no note yet</span>
              </>
            ) : (
              <a href={withQuery({ entity: end.path })} dir="auto">
                {end.name}
              </a>
            )}
          </li>
        ))}
      </ul>
      {ends.length < total ? <p class="quiet">The note has the other {(total - ends.length).toLocaleString('en')}.</p> : null}
    </section>
  );
}
