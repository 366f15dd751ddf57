import { useId, useState } from 'preact/hooks';
import { formatCount } from '../../../parts/files/count.ts';
import { Failure, Loading } from '../../../parts/states.tsx';
import type { Arguments } from '../../../operations.ts';
import { useOperation } from '../../../use-operation.ts';
import { Cards } from './cards.tsx';
import { RowList } from './row-list.tsx';
import type { BasesProblem, ShownView } from './shapes.ts';
import { RowTable } from './row-table.tsx';

/** Rows at first, for each "Show more", and at most: as many as the server gives. */
const FIRST_ROWS = 50;
const MORE_ROWS = 200;
const MAX_ROWS = 2_000;

const DRAWN: ReadonlySet<string> = new Set(['table', 'cards', 'list']);

/** Which base to show, and the file that `this` refers to in it. */
export type BasesSource = Pick<Arguments<'read_base_view'>, 'base' | 'source' | 'context'>;

/** Shows a view of a base, with buttons for its other views. `href`: the base by itself. */
export function BasesView(props: {
  readonly of: BasesSource;
  readonly view: string | null;
  readonly choose: (view: string) => void;
  readonly href?: string | null;
}) {
  const { of, view, choose, href = null } = props;
  const [asked, setAsked] = useState({ view, limit: FIRST_ROWS });
  const limit = asked.view === view ? asked.limit : FIRST_ROWS;
  const { value, error, isLoading, reload } = useOperation('read_base_view', { ...of, ...(view === null ? {} : { view }), limit });
  if (value === null) return error === null ? <Loading what="the base" /> : <Failure error={error} reload={reload} />;
  if (value.kind === 'problem') return <Problem problem={value} />;
  const next = Math.min(limit + MORE_ROWS, MAX_ROWS);
  return (
    <>
      {error === null ? null : <Failure error={error} reload={reload} />}
      <Head shown={value} choose={choose} href={href} />
      {value.notices.map((notice) => (
        <p class="notice" key={notice}>
          {notice}
        </p>
      ))}
      {DRAWN.has(value.view.type) ? null : (
        <p class="quiet">roux does not draw views of the type “{value.view.type}”, so its notes are shown as a table.</p>
      )}
      {value.total > 0 ? (
        <Rows shown={value} />
      ) : (
        <p class="quiet bases-empty">
          {value.depends_on_note
            ? 'This view is about the note that embeds it. Open a note with it to see what it shows there.'
            : 'No notes match this view.'}
        </p>
      )}
      {value.shown >= value.total ? null : value.shown < limit || limit === MAX_ROWS ? (
        <p class="quiet">
          The first {value.shown.toLocaleString('en')} of {value.total.toLocaleString('en')} rows are shown. Narrow the filters of the view
          to see the others.
        </p>
      ) : (
        <p class="no-print">
          <button type="button" disabled={isLoading} onClick={() => setAsked({ view, limit: next })}>
            {isLoading ? 'Loading…' : 'Show more'}
          </button>{' '}
          <span class="quiet">
            {value.shown.toLocaleString('en')} of {value.total.toLocaleString('en')}
          </span>
        </p>
      )}
    </>
  );
}

function Rows({ shown }: { readonly shown: ShownView }) {
  if (shown.view.type === 'cards') return <Cards shown={shown} />;
  return shown.view.type === 'list' ? <RowList shown={shown} /> : <RowTable shown={shown} />;
}

/** The name of the base, its views and the number of rows. */
function Head({
  shown,
  choose,
  href,
}: {
  readonly shown: ShownView;
  readonly choose: (view: string) => void;
  readonly href: string | null;
}) {
  const { name, view, views, total } = shown;
  const id = useId();
  return (
    <header class="block-head bases-head">
      {href === null ? null : (
        <a href={href} class="block-title" dir="auto">
          {name}
        </a>
      )}
      {views.length < 2 ? (
        <span class="bases-view-name" dir="auto">
          {view.name}
        </span>
      ) : (
        <select
          id={id}
          class="bases-views"
          aria-label="View"
          value={view.name}
          onChange={(event: Event) => choose((event.currentTarget as HTMLSelectElement).value)}
        >
          {views.map((each, index) => (
            <option key={index} value={each.name} selected={each.name === view.name}>
              {each.name}
            </option>
          ))}
        </select>
      )}
      <span class="quiet">{formatCount(total, 'result')}</span>
    </header>
  );
}

/** A mistake in a base, with its line. */
function Problem({ problem: { message, at } }: { readonly problem: BasesProblem }) {
  return (
    <section class="failure" role="alert">
      <p dir="auto">{message}</p>
      {at === null ? null : (
        <p>
          Line {at.line}: <code dir="auto">{at.text}</code>
        </p>
      )}
    </section>
  );
}
