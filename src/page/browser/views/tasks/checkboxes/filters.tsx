import { useEffect, useRef, useState } from 'preact/hooks';
import { Select } from '../../../parts/fields/select.tsx';
import { navigate, withQuery } from '../../../router.ts';
import type { Address } from '../../../router.ts';
import type { CheckboxPage, CheckboxQuery } from './shapes.ts';

/** Time after the last key until the list follows the text. */
const SETTLE_MS = 200;

const STATES = { open: 'Open', done: 'Done', all: 'All' } as const;
const DUES = {
  '': 'Any due date',
  overdue: 'Overdue',
  today: 'Due today',
  week: 'Due within a week',
  dated: 'With a due date',
  undated: 'Without a due date',
} as const;
const ORDERS = { note: 'By note', due: 'By due date' } as const;

const PARAMETERS = ['state', 'due', 'order', 'folder', 'tag', 'text'] as const;

/** Returns the query that an address stands for. Unknown values count as none. */
export function queryOf({ query }: Address, today: string): CheckboxQuery {
  const choice = <Key extends string>(name: string, choices: Readonly<Record<Key, string>>): Key | undefined => {
    const value = query.get(name) ?? '';
    return Object.hasOwn(choices, value) && value !== '' ? (value as Key) : undefined;
  };
  const due = choice('due', DUES);
  const [folder = '', tag = '', text = ''] = ['folder', 'tag', 'text'].map((name) => query.get(name) ?? '');
  return {
    today,
    state: choice('state', STATES) ?? 'open',
    order: choice('order', ORDERS) ?? 'note',
    ...(due === undefined || due === '' ? {} : { due }),
    ...(folder === '' ? {} : { folder }),
    ...(tag === '' ? {} : { tag }),
    ...(text === '' ? {} : { text: text.slice(0, 500) }),
  };
}

/** Whether the list is limited by anything but the state of the checkboxes. */
export function isFiltered({ due, folder, tag, text }: CheckboxQuery): boolean {
  return [due, folder, tag, text].some((value) => value !== undefined);
}

/** The address without filters. */
export function withoutFilters(): string {
  return withQuery(Object.fromEntries(PARAMETERS.map((name) => [name, null])));
}

/** What the list is limited to and how it is grouped. The address has it, so that it can be bookmarked. */
export function Filters({ query, page }: { readonly query: CheckboxQuery; readonly page: CheckboxPage | undefined }) {
  const { folders = [], tags = [], counts } = page ?? {};
  const choose = (name: string, value: string): void => navigate(withQuery({ [name]: value }), { replace: true });
  const number = (count: number | undefined): string => (count === undefined ? '' : ` (${count.toLocaleString('en')})`);
  const states = { open: `Open${number(counts?.open)}`, done: `Done${number(counts?.done)}`, all: 'All' };
  const dues = { ...DUES, overdue: `Overdue${number(counts?.overdue)}`, today: `Due today${number(counts?.today)}` };
  return (
    <form class="checkbox-filters no-print" role="search" aria-label="Checkboxes" onSubmit={(event) => event.preventDefault()}>
      <TextFilter value={query.text ?? ''} />
      <Select label="State" value={query.state ?? 'open'} choices={Object.entries(states)} onChoose={(value) => choose('state', value)} />
      <Select label="Due" value={query.due ?? ''} choices={Object.entries(dues)} onChoose={(value) => choose('due', value)} />
      <Select
        label="Folder"
        value={query.folder ?? ''}
        choices={toChoices('Any folder', folders, query.folder)}
        onChoose={(value) => choose('folder', value)}
      />
      <Select
        label="Tag"
        value={query.tag ?? ''}
        choices={toChoices('Any tag', tags, query.tag).map(([value, text]) => [value, value === '' ? text : `#${text}`])}
        onChoose={(value) => choose('tag', value)}
      />
      <Select label="Grouped" value={query.order ?? 'note'} choices={Object.entries(ORDERS)} onChoose={(value) => choose('order', value)} />
    </form>
  );
}

/** The chosen value is a choice even where nothing has it any more. */
function toChoices(any: string, values: readonly string[], chosen = ''): readonly (readonly [string, string])[] {
  const all = chosen === '' || values.includes(chosen) ? values : [chosen, ...values];
  return [['', any], ...all.map((value) => [value, value] as const)];
}

function TextFilter({ value }: { readonly value: string }) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  // Back and forward, and clearing the filters, change the address alone.
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      navigate(withQuery({ text }), { replace: true });
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      data-main
      dir="auto"
      aria-label="Words in the task, its heading or note"
      placeholder="Filter by words"
      maxLength={500}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
