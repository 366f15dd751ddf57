import { FormDialog } from '../../../parts/fields/form-dialog.tsx';
import type { BoardTask } from '../board.ts';
import { useDraft } from '../../../parts/fields/drafts.ts';
import { useTaskChange } from './use-task-change.ts';

/** Marks a task as blocked, with the reason. */
export function BlockForm({ task, onClose }: { readonly task: BoardTask; readonly onClose: () => void }) {
  const [reason, setReason, forget] = useDraft(`block ${task.id}`, 'reason');
  const change = useTaskChange(task);
  const submit = async (): Promise<string | null> => {
    if (reason.trim() === '') return 'Say what it waits for.';
    const refusal = await change({ update: { blocked_reason: reason.trim() }, done: 'is marked as blocked.' });
    if (refusal === null) forget();
    return refusal;
  };
  return (
    <FormDialog title="Mark this task as blocked?" action="Mark as blocked" submit={submit} onClose={onClose}>
      <p dir="auto">
        <strong>{task.summary}</strong>
      </p>
      <label class="field">
        What does it wait for?
        <textarea rows={2} dir="auto" maxLength={2000} required value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        <span class="quiet">It stays blocked until somebody removes the mark.</span>
      </label>
    </FormDialog>
  );
}
