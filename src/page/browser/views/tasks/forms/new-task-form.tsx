import { useState } from 'preact/hooks';
import { callWithWarnings } from '../../../api.ts';
import { FormDialog } from '../../../parts/fields/form-dialog.tsx';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { navigate, withQuery } from '../../../router.ts';
import { inTurn, quote, reportDone } from '../acts/outcome.ts';
import type { BoardTask, TaskRef } from '../board.ts';
import { useDraft } from '../../../parts/fields/drafts.ts';
import { PriorityField } from './priority-field.tsx';
import { TaskPicker } from './task-picker.tsx';

/** Adds a task to a project: below its root, or below the task from which the form was opened. */
export function NewTaskForm({
  project,
  parent: opened,
  tasks,
  onClose,
}: {
  /** The folder of the project. */
  readonly project: string;
  readonly parent: TaskRef | null;
  readonly tasks: readonly BoardTask[];
  readonly onClose: () => void;
}) {
  const form = `new ${project}`;
  const [summary, setSummary, forgetSummary] = useDraft(form, 'summary');
  const [priority, setPriority, forgetPriority] = useDraft(form, 'priority');
  const [parent, setParent] = useState<readonly TaskRef[]>(opened === null ? [] : [opened]);
  const [dependencies, setDependencies] = useState<readonly TaskRef[]>([]);
  const submit = async (): Promise<string | null> => {
    if (summary.trim() === '') return 'Say what is true when the task is done.';
    const refusal = await createTask({ project, summary: summary.trim(), priority, parent: parent[0]?.id, dependencies });
    if (refusal !== null) return refusal;
    forgetSummary();
    forgetPriority();
    return null;
  };
  return (
    <FormDialog title="New task" action="Create the task" submit={submit} onClose={onClose}>
      <label class="field">
        What is true when it is done?
        <textarea
          rows={2}
          dir="auto"
          required
          maxLength={2000}
          value={summary}
          onInput={(event) => setSummary(event.currentTarget.value)}
        />
      </label>
      <PriorityField value={priority} onChange={setPriority} />
      <TaskPicker label="Part of" hint="Empty: directly in the project." tasks={tasks} chosen={parent} onChange={setParent} isSingle />
      <TaskPicker
        label="Waits for"
        hint="Tasks that have to be done before."
        tasks={tasks}
        chosen={dependencies}
        onChange={setDependencies}
      />
    </FormDialog>
  );
}

/** Returns why the task was not created, or null. */
function createTask({
  project,
  summary,
  priority,
  parent,
  dependencies,
}: {
  readonly project: string;
  readonly summary: string;
  readonly priority: string;
  readonly parent: string | undefined;
  readonly dependencies: readonly TaskRef[];
}): Promise<string | null> {
  return inTurn(async () => {
    try {
      const node = {
        ref: 'new',
        summary,
        ...(parent === undefined ? {} : { parent_ref: parent }),
        ...(dependencies.length === 0 ? {} : { depends_on: dependencies.map(({ id }) => id) }),
        ...(priority === '' ? {} : { properties: { priority: Number(priority) } }),
      };
      const { result, warnings, batches } = await callWithWarnings('graph_plan', { project, nodes: [node] });
      const twins = result.potential_duplicates ?? [];
      const similar = twins.length === 0 ? '' : ' There is a task with a similar summary already.';
      reportDone(`${quote(summary)} was created.${similar} ${warnings.join(' ')}`.trim(), { summary: quote(summary), batches });
      const [created] = result.created;
      if (created !== undefined) navigate(withQuery({ task: created.id }));
      return null;
    } catch (error) {
      return describeFailedChange(error, true);
    }
  });
}
