import { useEffect, useState } from 'preact/hooks';
import type { Result } from '../../operations.ts';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { TypedField } from '../../parts/fields/typed-field.tsx';
import { usePages } from '../../use-pages.ts';
import { navigate, withQuery } from '../../router.ts';
import type { Address } from '../../router.ts';
import { Chart } from './chart.tsx';
import { spanOf } from './facts.ts';
import type { Timeline } from './facts.ts';
import { FactDetail } from './fact-detail.tsx';
import { TimeSlider } from './slider.tsx';

/** Shows facts and their periods: `/knowledge?group=…&entity=<path>&q=…&as_of=…&known_at=…&fact=<uuid>`. */
export function Knowledge({ address }: { readonly address: Address }) {
  const get = (name: string): string | null => address.query.get(name);
  const [group, entity, query, asOf, knownAt, chosen] = [get('group'), get('entity'), get('q'), get('as_of'), get('known_at'), get('fact')];
  const args = {
    ...(group === null ? {} : { group }),
    ...(entity === null ? {} : { entity }),
    ...(query === null ? {} : { query }),
    ...(asOf === null ? {} : { as_of: asOf }),
    ...(knownAt === null ? {} : { known_at: knownAt }),
  };
  usePageTitle('Knowledge');
  const { pages, error, isLoading, hasMore, more, reload } = usePages('fact_timeline', args, ({ timeline }) => timeline?.next_cursor);
  // Positions of the sliders while they move, before the result arrives.
  const [moving, setMoving] = useState<{ readonly asOf?: number | null; readonly knownAt?: number | null }>({});
  useEffect(() => setMoving({}), [asOf, knownAt]);
  const [first] = pages;
  if (first === undefined)
    return error === null ? (
      <Loading what="the facts" />
    ) : (
      <>
        <h1>Knowledge</h1>
        <Failure error={error} reload={reload} />
        <a href="/knowledge">Show everything</a>
      </>
    );
  const { timeline } = first;
  const facts = pages.flatMap((page) => page.timeline?.facts ?? []);
  const fact = facts.find(({ uuid }) => uuid === chosen);
  const span = timeline === null ? null : spanOf(timeline.range);
  const timeOf = (moved: number | null | undefined, given: string | null): number | null =>
    moved === undefined ? (given === null ? null : Date.parse(given)) : moved;
  return (
    <div class="knowledge">
      <h1>Knowledge</h1>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {timeline === null || span === null ? (
        <Empty title="No facts yet">
          Ask an agent to add an episode, which is a text that states facts, or run <code>roux ingest</code> in a terminal. Each fact
          becomes a line in a note, with the time in which it is valid and the time when it became known.
        </Empty>
      ) : (
        <>
          <Filters groups={first.groups} timeline={timeline} query={query ?? ''} />
          <div class="sliders">
            <TimeSlider
              name="as_of"
              label="Valid on"
              help="Shows which facts are valid on this day."
              span={span}
              value={asOf}
              onMove={(time) => setMoving({ ...moving, asOf: time })}
            />
            <TimeSlider
              name="known_at"
              label="Known by"
              help="Leaves out what became known after this day."
              span={span}
              value={knownAt}
              onMove={(time) => setMoving({ ...moving, knownAt: time })}
            />
          </div>
          <p class="legend quiet">
            <span class="legend-valid" /> valid <span class="legend-known" /> known <span class="legend-old" /> superseded
          </p>
          <div class="board-and-detail" data-open={fact !== undefined}>
            <div class="board">
              {facts.length === 0 ? (
                <p>
                  No matching facts. <a href={withQuery({ entity: null, q: null })}>Show everything</a>
                </p>
              ) : (
                <Chart
                  facts={facts}
                  span={span}
                  asOf={timeOf(moving.asOf, asOf) ?? timeOf(moving.knownAt, knownAt) ?? Date.parse(first.now)}
                  knownAt={timeOf(moving.knownAt, knownAt)}
                  chosen={chosen}
                />
              )}
              {hasMore ? (
                <button type="button" disabled={isLoading} onClick={more}>
                  Show more than {facts.length.toLocaleString('en')} of {timeline.total.toLocaleString('en')} facts
                </button>
              ) : null}
            </div>
            {fact === undefined ? null : <FactDetail fact={fact} group={timeline.group} />}
          </div>
        </>
      )}
    </div>
  );
}

/** Filters of the facts, which are stored in the address. */
function Filters({
  groups,
  timeline,
  query,
}: {
  readonly groups: Result<'fact_timeline'>['groups'];
  readonly timeline: Timeline;
  readonly query: string;
}) {
  const { entity, entities } = timeline;
  return (
    <>
      <search class="filter-fields">
        {groups.length < 2 ? null : (
          <label>
            <span>Group</span>
            <select
              value={timeline.group}
              onChange={(event) => navigate(withQuery({ group: event.currentTarget.value, entity: null, q: null, fact: null }))}
            >
              {groups.map(({ id, facts }) => (
                <option key={id} value={id}>
                  {id} ({facts})
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span>About</span>
          <select value={entity?.path ?? ''} onChange={(event) => navigate(withQuery({ entity: event.currentTarget.value, fact: null }))}>
            <option value="">everything</option>
            {entity !== undefined && !entities.some(({ path }) => path === entity.path) ? (
              <option value={entity.path}>{entity.name}</option>
            ) : null}
            {entities.map(({ path, name, facts }) => (
              <option key={path} value={path}>
                {name} ({facts})
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Words</span>
          <TypedField name="q" label="Words" placeholder="What facts say" value={query} isMain clears={['fact']} />
        </label>
      </search>
      {entity === undefined ? null : (
        <p>
          <NoteLink path={entity.path} title={entity.name} />{' '}
          {timeline.summary === undefined || timeline.summary === '' ? null : <span dir="auto">{timeline.summary}</span>}
        </p>
      )}
    </>
  );
}
