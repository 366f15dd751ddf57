import type { Result } from '../../operations.ts';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { TypedField } from '../../parts/fields/typed-field.tsx';
import { usePages } from '../../use-pages.ts';
import { withQuery } from '../../router.ts';
import type { Address } from '../../router.ts';
import { EntityDetail } from './entity-detail.tsx';

type Row = Result<'memory_map'>['entities'][number];

/** Lists what agents remember: `/memory?q=…&type=…&entity=<path>`. */
export function Memory({ address }: { readonly address: Address }) {
  const query = address.query.get('q') ?? '';
  const type = address.query.get('type');
  const chosen = address.query.get('entity');
  usePageTitle('Memory');
  const { pages, error, isLoading, hasMore, more, reload } = usePages(
    'memory_map',
    { ...(query === '' ? {} : { query }), ...(type === null ? {} : { type }) },
    (page) => page.next_cursor,
  );
  const [first] = pages;
  if (first === undefined) return error === null ? <Loading what="the memory" /> : <Failure error={error} reload={reload} />;
  const entities = pages.flatMap((page) => page.entities);
  return (
    <div class="memory">
      <h1>Memory</h1>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {first.total === 0 ? (
        <Empty title="No memories yet">
          Ask an agent to remember something. Each person, thing or topic that it remembers becomes a note that you can read and correct.
        </Empty>
      ) : (
        <div class="board-and-detail" data-open={chosen !== null}>
          <div class="board">
            <search>
              <TypedField name="q" label="Search memory" placeholder="Words, or type:… name:…" value={query} isMain clears={['type']} />
            </search>
            <nav class="kinds" aria-label="Kinds">
              <a href={withQuery({ type: null })} aria-current={type === null ? 'true' : undefined}>
                All
              </a>
              {first.kinds.map((kind) => (
                <a key={kind.type} href={withQuery({ type: kind.type })} aria-current={type === kind.type ? 'true' : undefined}>
                  <bdi>{kind.type}</bdi> <span class="quiet">{kind.count.toLocaleString('en')}</span>
                </a>
              ))}
            </nav>
            {first.is_partly === true ? <p class="quiet">No entity has all of these words. Those with the most come first.</p> : null}
            {first.found === 0 ? (
              <p>
                No matching entities. <a href="/memory">Show everything</a>
              </p>
            ) : (
              <EntityList entities={entities} chosen={chosen} isRanked={first.is_partly === true} />
            )}
            {hasMore ? (
              <button type="button" disabled={isLoading} onClick={more}>
                Show more than {entities.length.toLocaleString('en')} of {first.found.toLocaleString('en')}
              </button>
            ) : null}
          </div>
          {chosen === null ? null : <EntityDetail key={chosen} path={chosen} />}
        </div>
      )}
    </div>
  );
}

/** Lists entities under a heading for each type, or without headings if they are ranked. */
function EntityList({
  entities,
  chosen,
  isRanked,
}: {
  readonly entities: readonly Row[];
  readonly chosen: string | null;
  readonly isRanked: boolean;
}) {
  const groups: { readonly type: string | null; readonly rows: Row[] }[] = [];
  for (const row of entities) {
    const type = isRanked ? null : row.type;
    const last = groups.at(-1);
    if (last !== undefined && last.type === type) last.rows.push(row);
    else groups.push({ type, rows: [row] });
  }
  return (
    <>
      {groups.map(({ type, rows }, at) => (
        <section key={`${at} ${type ?? ''}`} class="memory-kind">
          {type === null ? null : (
            <h2>
              <bdi>{type}</bdi>
            </h2>
          )}
          <ul class="entities">
            {rows.map((row) => (
              <li key={row.path} data-chosen={row.path === chosen}>
                <a href={withQuery({ entity: row.path })} data-entity={row.path} dir="auto">
                  {row.name}
                </a>
                <span class="entity-counts">
                  {row.observations} {row.observations === 1 ? 'observation' : 'observations'}
                  {row.relations === 0 ? null : ` · ${row.relations} ${row.relations === 1 ? 'relation' : 'relations'}`}
                </span>
                {row.newest === '' ? null : (
                  <span class="entity-newest" dir="auto">
                    {row.newest}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
