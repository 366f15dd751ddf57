import { callOperation } from '../../../api.ts';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { address } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import { openEditor } from './open-editor.ts';

/** Returns the day whose note the address is about, as the calendar and home link to it (`?day=2026-11-29`); null for other addresses. */
export function askedDay(): string | null {
  const day = address.value.query.get('day') ?? '';
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : null;
}

/** A button that creates the note of the day in the address from the vault's template, and opens it in the editor. */
export function CreateDayNoteButton() {
  const day = askedDay();
  if (day === null || !canWrite()) return null;
  const create = async (): Promise<void> => {
    // A note of a day that is not there is made from its template, whatever is added to it.
    await callOperation('update_node', { id: `@${day}`, append: '' });
    openEditor(address.value.path.replace(/^\/note\//, ''));
  };
  return (
    <button type="button" class="primary" onClick={() => void create().catch(showFailedChange)}>
      Create the note of this day
    </button>
  );
}
