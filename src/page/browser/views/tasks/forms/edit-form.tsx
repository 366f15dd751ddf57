import { useState } from 'preact/hooks';
import { FormDialog } from '../../../parts/fields/form-dialog.tsx';
import { Failure, Loading } from '../../../parts/states.tsx';
import { useOperation } from '../../../use-operation.ts';
import type { BoardTask, Detail } from '../board.ts';
import { useDraft } from '../../../parts/fields/drafts.ts';
import { PriorityField } from './priority-field.tsx';
import { useTaskChange } from './use-task-change.ts';
import type { FormChange } from './use-task-change.ts';

/** The server shortens longer values, which must not be written back. */
const MAX_SUMMARY_CHARACTERS = 1_999;
const MAX_PROGRESS_CHARACTERS = 199;

/** The fields of the form, as texts. */
type Fields = Readonly<Record<'summary' | 'priority' | 'progress', string>>;

/** Edits the summary, priority and progress of a task. */
export function EditForm({ task, onClose }: { readonly task: BoardTask; readonly onClose: () => void }) {
  // As it was when the form was opened: what others change meanwhile is a conflict, not a new basis.
  const { value, error } = useOperation('task_detail', { task: task.id }, () => false);
  if (value !== null) return <Loaded task={task} detail={value} onClose={onClose} />;
  return (
    <FormDialog title="Edit this task" action="Save" submit={() => Promise.resolve('The server has not answered yet.')} onClose={onClose}>
      {error === null ? <Loading what="the task" /> : <Failure error={error} />}
    </FormDialog>
  );
}

function Loaded({ task, detail, onClose }: { readonly task: BoardTask; readonly detail: Detail; readonly onClose: () => void }) {
  const [basis, setBasis] = useState(fieldsOf(detail));
  const form = `edit ${task.id}`;
  const [summary, setSummary, forgetSummary] = useDraft(form, 'summary', basis.summary);
  const [priority, setPriority, forgetPriority] = useDraft(form, 'priority', basis.priority);
  const [progress, setProgress, forgetProgress] = useDraft(form, 'progress', basis.progress);
  const change = useTaskChange({ ...detail.task, rev: detail.rev });
  const submit = async (): Promise<string | null> => {
    const fields: Fields = { summary: summary.trim(), priority: priority.trim(), progress: progress.trim() };
    const changed = changedFields(basis, fields);
    if (fields.summary === '') return 'A task needs a summary.';
    if (changed.length > 0) {
      const refusal = await change({
        update: toUpdate(fields, changed),
        done: `has ${changed.length === 1 ? 'another' : 'other'} ${changed.join(' and ')} now.`,
        isStillRight: (now) => changedFields(basis, fieldsOf(now)).every((key) => !changed.includes(key)),
        describeConflict(now) {
          const theirs = fieldsOf(now);
          const both = changedFields(basis, theirs).filter((key) => changed.includes(key));
          setBasis(theirs);
          const who = now.history.events[0]?.agent ?? 'Somebody else';
          return `Nothing was saved: ${who} changed ${both.map((key) => `the ${key} to “${theirs[key]}”`).join(' and ')} meanwhile. Yours is still here.`;
        },
      });
      if (refusal !== null) return refusal;
    }
    for (const forget of [forgetSummary, forgetPriority, forgetProgress]) forget();
    return null;
  };
  // What agents report may be a structure, which is no text to edit.
  const canEditProgress = basis.progress.length <= MAX_PROGRESS_CHARACTERS && !/^[{[]/.test(basis.progress);
  return (
    <FormDialog title="Edit this task" action="Save" submit={submit} onClose={onClose}>
      <label class="field">
        Summary
        <textarea
          rows={3}
          dir="auto"
          required
          maxLength={MAX_SUMMARY_CHARACTERS}
          value={summary}
          onInput={(event) => setSummary(event.currentTarget.value)}
        />
      </label>
      <PriorityField value={priority} onChange={setPriority} />
      {canEditProgress ? (
        <label class="field">
          Progress
          <input
            dir="auto"
            maxLength={MAX_PROGRESS_CHARACTERS}
            value={progress}
            onInput={(event) => setProgress(event.currentTarget.value)}
          />
          <span class="quiet">How far it is, in a few words.</span>
        </label>
      ) : null}
    </FormDialog>
  );
}

function fieldsOf({ summary, task }: Detail): Fields {
  return { summary, priority: task.priority === undefined ? '' : String(task.priority), progress: task.progress ?? '' };
}

function changedFields(before: Fields, after: Fields): readonly (keyof Fields)[] {
  return (['summary', 'priority', 'progress'] as const).filter((key) => before[key] !== after[key]);
}

function toUpdate({ summary, priority, progress }: Fields, changed: readonly (keyof Fields)[]): FormChange['update'] {
  return {
    ...(changed.includes('summary') ? { summary } : {}),
    ...(changed.includes('priority') ? { properties: { priority: priority === '' ? null : Number(priority) } } : {}),
    ...(changed.includes('progress') ? { state: progress } : {}),
  };
}
