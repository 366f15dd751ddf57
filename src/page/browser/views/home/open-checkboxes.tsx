import { useOperation } from '../../use-operation.ts';
import { formatCount } from '../../parts/files/count.ts';
import { CheckboxRow } from '../tasks/checkboxes/checkbox-row.tsx';
import { today } from '../tasks/checkboxes/shapes.ts';

/** Checkboxes that are listed. */
const MAX_LISTED = 6;

/** The open checkboxes of all notes: how many, and the first ones, those that are due first. Nothing if there are none. */
export function OpenCheckboxes() {
  const day = today();
  const { value } = useOperation('list_checkboxes', { limit: MAX_LISTED, order: 'due', today: day });
  if (value === null || value.total === 0) return null;
  return (
    <section aria-labelledby="open-checkboxes">
      <h2 id="open-checkboxes">Open checkboxes</h2>
      <ul class="checkbox-list">
        {value.checkboxes.map((checkbox) => (
          <CheckboxRow key={`${checkbox.path} ${checkbox.line} ${checkbox.etag}`} checkbox={checkbox} today={day} withNote />
        ))}
      </ul>
      <p>
        <a href="/tasks?tab=checkboxes">
          {value.total > value.checkboxes.length ? `All ${formatCount(value.total, 'open checkbox', 'open checkboxes')}` : 'All checkboxes'}
        </a>
      </p>
    </section>
  );
}
