import { callWithWarnings } from '../../../api.ts';
import { FormDialog } from '../../../parts/fields/form-dialog.tsx';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { navigate } from '../../../router.ts';
import { inTurn, quote, reportDone } from '../acts/outcome.ts';
import { useDraft } from '../../../parts/fields/drafts.ts';

/** Starts a project, with its first task if one is given. */
export function NewProjectForm({ onClose }: { readonly onClose: () => void }) {
  const [title, setTitle, forgetTitle] = useDraft('project', 'title');
  const [goal, setGoal, forgetGoal] = useDraft('project', 'goal');
  const [first, setFirst, forgetFirst] = useDraft('project', 'first');
  const submit = async (): Promise<string | null> => {
    if (title.trim() === '') return 'Give the project a name.';
    const refusal = await createProject(title.trim(), goal.trim(), first.trim());
    if (refusal !== null) return refusal;
    for (const forget of [forgetTitle, forgetGoal, forgetFirst]) forget();
    return null;
  };
  return (
    <FormDialog title="New project" action="Create the project" submit={submit} onClose={onClose}>
      <label class="field">
        Name
        <input dir="auto" required maxLength={200} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <label class="field">
        Goal (optional)
        <textarea rows={2} dir="auto" maxLength={2000} value={goal} onInput={(event) => setGoal(event.currentTarget.value)} />
        <span class="quiet">What is true when the project is done?</span>
      </label>
      <label class="field">
        First task (optional)
        <input dir="auto" maxLength={2000} value={first} onInput={(event) => setFirst(event.currentTarget.value)} />
      </label>
    </FormDialog>
  );
}

/** Returns why the project was not created, or null. */
function createProject(title: string, goal: string, first: string): Promise<string | null> {
  return inTurn(async () => {
    const written: string[] = [];
    try {
      const opened = await callWithWarnings('graph_open', { project: title, goal: goal === '' ? title : goal });
      written.push(...opened.batches);
      if (!('project' in opened.result)) return 'The server did not open the project.';
      if (opened.batches.length === 0) return `There is a project ${quote(title)} already. Give this one another name.`;
      const { project } = opened.result;
      const warnings = [...opened.warnings];
      if (first !== '') {
        const planned = await callWithWarnings('graph_plan', { project, nodes: [{ ref: 'first', summary: first }] });
        written.push(...planned.batches);
        warnings.push(...planned.warnings);
      }
      reportDone(`The project ${quote(project)} was created. ${warnings.join(' ')}`.trim(), { summary: quote(project), batches: written });
      navigate(`/tasks/${encodeURIComponent(project)}`);
      return null;
    } catch (error) {
      const reason = describeFailedChange(error, true);
      if (written.length === 0) return reason;
      reportDone(`The project ${quote(title)} was created, its first task ${quote(first)} was not. ${reason}`, {
        summary: quote(title),
        batches: written,
      });
      navigate(`/tasks/${encodeURIComponent(title)}`);
      return null;
    }
  });
}
