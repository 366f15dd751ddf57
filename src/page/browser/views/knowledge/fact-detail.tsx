import { useEffect, useRef, useState } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import { Agent } from '../../parts/agent.tsx';
import { ForeignMark } from '../../parts/foreign-mark.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { navigate, withQuery } from '../../router.ts';
import { formatValidity } from './chart.tsx';
import { formatDay, STATE_WORDS } from './facts.ts';
import type { Fact } from './facts.ts';

/** Shows a fact, the periods in which it is valid and known, and the episodes that state it. */
export function FactDetail({ fact, group }: { readonly fact: Fact; readonly group: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const named = fact.episodes.filter((each) => each.uuid !== undefined);
  const [opened, setOpened] = useState<string | null>(null);
  useEffect(() => {
    setOpened(null);
    heading.current?.focus();
  }, [fact.uuid]);
  const close = (): void => {
    navigate(withQuery({ fact: null }));
    document.querySelector<HTMLElement>(`[data-fact="${CSS.escape(fact.uuid)}"]`)?.focus();
  };
  const shown = opened ?? named[0]?.uuid ?? null;
  return (
    <aside
      class="detail"
      aria-label="Fact"
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Escape') close();
      }}
    >
      <button type="button" class="quiet-button detail-close" onClick={close}>
        <span aria-hidden="true">✕</span> Close
      </button>
      <h2 tabIndex={-1} ref={heading} dir="auto">
        {fact.fact}
      </h2>
      <table class="detail-properties">
        <tbody>
          <tr>
            <th scope="row">Status</th>
            <td>{STATE_WORDS[fact.state]}</td>
          </tr>
          <tr>
            <th scope="row">Valid</th>
            <td>{formatValidity(fact)}</td>
          </tr>
          <tr>
            <th scope="row">Known</th>
            <td>
              since {formatDay(fact.created_at)}
              {fact.expired_at === undefined ? null : `, superseded on ${formatDay(fact.expired_at)}`}
            </td>
          </tr>
          {fact.deleted_at === undefined ? null : (
            <tr>
              <th scope="row">Deleted</th>
              <td>
                {formatDay(fact.deleted_at)}
                {fact.deleted_by === undefined ? (
                  <ForeignMark />
                ) : (
                  <>
                    {' '}
                    by <Agent name={fact.deleted_by} />
                  </>
                )}
              </td>
            </tr>
          )}
          <tr>
            <th scope="row">Relation</th>
            <td>
              <NoteLink path={fact.source.path} title={fact.source.name} /> <bdi class="relation">{fact.relation}</bdi>{' '}
              {fact.target.path === undefined ? (
                <bdi>{fact.target.name}</bdi>
              ) : (
                <NoteLink path={fact.target.path} title={fact.target.name} />
              )}
            </td>
          </tr>
        </tbody>
      </table>
      <section>
        <h3>{fact.episode_count === 1 ? 'Said in one episode' : `Said in ${fact.episode_count} episodes`}</h3>
        {fact.episode_count === 0 ? <p class="quiet">Written into the note by hand.</p> : null}
        <ul class="detail-tasks">
          {fact.episodes.map((each, at) => (
            <li key={at}>
              {each.uuid === undefined ? (
                <>
                  <bdi>{each.name}</bdi> <span class="quiet">no longer exists</span>
                </>
              ) : (
                <button type="button" class="quiet-button" aria-expanded={each.uuid === shown} onClick={() => setOpened(each.uuid ?? null)}>
                  <bdi>{each.name}</bdi>{' '}
                  {each.reference_time === undefined ? null : <span class="quiet">{formatDay(each.reference_time)}</span>}
                </button>
              )}
            </li>
          ))}
        </ul>
        {shown === null ? null : <EpisodeText key={shown} group={group} uuid={shown} fact={fact.uuid} />}
      </section>
    </aside>
  );
}

function EpisodeText({ group, uuid, fact }: { readonly group: string; readonly uuid: string; readonly fact: string }) {
  const { value, error, reload } = useOperation('knowledge_episode', { group, uuid }, () => false);
  if (value === null) return error === null ? <Loading what="the episode" /> : <Failure error={error} reload={reload} />;
  const others = value.facts.filter((each) => each.uuid !== fact);
  return (
    <article class="episode">
      <blockquote dir="auto">{value.body}</blockquote>
      {value.body.length < value.characters ? (
        <p class="quiet">Shortened: the note has all {value.characters.toLocaleString('en')} characters.</p>
      ) : null}
      <p class="quiet">
        {value.source_description === null ? null : (
          <>
            <bdi>{value.source_description}</bdi>
            {' · '}
          </>
        )}
        said {formatDay(value.reference_time)} · added <Time at={value.created_at} /> by <Agent name={value.created_by} /> ·{' '}
        <NoteLink path={value.path}>its note</NoteLink>
      </p>
      {others.length === 0 ? null : (
        <>
          <h3>Other facts from this episode</h3>
          <ul>
            {others.map((each) => (
              <li key={each.uuid} dir="auto">
                <a href={withQuery({ fact: each.uuid, entity: each.source.path, q: null })}>{each.fact}</a>
              </li>
            ))}
          </ul>
          {others.length + 1 < value.fact_count ? <p class="quiet">and {value.fact_count - others.length - 1} more</p> : null}
        </>
      )}
    </article>
  );
}
