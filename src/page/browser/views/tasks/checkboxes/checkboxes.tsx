import { useLayoutEffect } from 'preact/hooks';
import { formatCount } from '../../../parts/files/count.ts';
import { NoteLink } from '../../../parts/note-link.tsx';
import { usePageTitle } from '../../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../../parts/states.tsx';
import { withQuery } from '../../../router.ts';
import type { Address } from '../../../router.ts';
import { usePages } from '../../../use-pages.ts';
import { CheckboxRow } from './checkbox-row.tsx';
import { Filters, isFiltered, queryOf, withoutFilters } from './filters.tsx';
import { groupCheckboxes, today as getToday } from './shapes.ts';
import type { Checkbox } from './shapes.ts';

/** All checkboxes of the vault: `/tasks?tab=checkboxes&state=open&due=week`. */
export function Checkboxes({ address }: { readonly address: Address }) {
  const today = getToday();
  const query = queryOf(address, today);
  const { pages, error, isLoading, hasMore, more, reload } = usePages('list_checkboxes', query, ({ next_cursor }) => next_cursor);
  usePageTitle('Checkboxes');
  useKeptFocus();
  const [first] = pages;
  const checkboxes = pages.flatMap((page) => page.checkboxes);
  const isEmptyVault = first?.counts !== undefined && first.counts.open + first.counts.done === 0;
  return (
    <>
      {isEmptyVault ? null : <Filters query={query} page={first} />}
      {error === null ? null : <Failure error={error} reload={reload} />}
      {first === undefined ? (
        error === null ? (
          <Loading what="checkboxes" />
        ) : null
      ) : isEmptyVault ? (
        <Empty title="No checkboxes yet">Every line that begins with “- [ ]” in a note is listed here.</Empty>
      ) : first.total === 0 && !isFiltered(query) ? (
        <Empty title={query.state === 'done' ? 'No checkbox is done yet' : 'Every checkbox is done'}>
          <a class="button" href={withQuery({ state: query.state === 'done' ? null : 'done' })}>
            Show the {query.state === 'done' ? 'open' : 'done'} ones
          </a>
        </Empty>
      ) : first.total === 0 ? (
        <Empty title="No checkbox fits">
          <a class="button" href={withoutFilters()}>
            Clear the filters
          </a>
        </Empty>
      ) : (
        <>
          <p class="quiet" role="status">
            {formatCount(first.total, 'checkbox', 'checkboxes')}
            {first.is_complete ? '' : '. This vault has more than can be listed: some notes are left out'}
          </p>
          <Groups checkboxes={checkboxes} order={query.order ?? 'note'} today={today} />
          {hasMore ? (
            <button type="button" disabled={isLoading} onClick={more}>
              Show more than {checkboxes.length.toLocaleString('en')}
            </button>
          ) : null}
        </>
      )}
    </>
  );
}

function Groups({
  checkboxes,
  order,
  today,
}: {
  readonly checkboxes: readonly Checkbox[];
  readonly order: 'note' | 'due';
  readonly today: string;
}) {
  return (
    <div class="checkbox-groups" onKeyDown={moveFocus}>
      {groupCheckboxes(checkboxes, order, today).map(({ key, title, path, checkboxes: own }) => (
        <section key={key} aria-label={title}>
          <h2>
            {path === undefined ? title : <NoteLink path={path} title={title} />} <span class="column-count">{own.length}</span>
          </h2>
          <ul>
            {own.map((checkbox) => (
              <CheckboxRow key={`${checkbox.path}:${checkbox.line}`} checkbox={checkbox} today={today} withNote={path === undefined} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function listBoxes(): readonly HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>('.checkbox-row input')];
}

/** Moves the focus from box to box. */
function moveFocus(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
  const row = event.target instanceof Element ? event.target.closest('.checkbox-row') : null;
  const boxes = listBoxes().filter(({ disabled }) => !disabled);
  const at = boxes.findIndex((box) => box.closest('.checkbox-row') === row);
  const next = boxes[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (row === null || next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** Gives the focus to the next box when the one that had it leaves the list, as it does when it is ticked. */
function useKeptFocus(): void {
  const at = listBoxes().findIndex((box) => box === document.activeElement);
  useLayoutEffect(() => {
    if (at < 0 || document.activeElement !== document.body) return;
    const boxes = listBoxes();
    boxes[Math.min(at, boxes.length - 1)]?.focus({ preventScroll: true });
  });
}
