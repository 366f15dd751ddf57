import { Cell } from './cell.tsx';
import type { Group } from './shapes.ts';

/** The value that the rows of a group share, and their number. */
export function GroupTitle({ group: { value, count }, title }: { readonly group: Group; readonly title: string | null }) {
  if (value === null) return null;
  return (
    <>
      <span class="quiet" dir="auto">
        {title}
      </span>{' '}
      {value.parts.length === 0 ? <span class="quiet">empty</span> : <Cell cell={value} />}{' '}
      <span class="quiet">{count.toLocaleString('en')}</span>
    </>
  );
}
