import { callOperation } from '../../../api.ts';
import { FormDialog } from '../../../parts/fields/form-dialog.tsx';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { formatCount } from '../../../parts/files/count.ts';
import { Failure, Loading } from '../../../parts/states.tsx';
import { session } from '../../../session.ts';
import { useOperation } from '../../../use-operation.ts';
import { changeTask, TaskChangedError } from '../acts/change-task.ts';
import { inTurn, quote, reportDone } from '../acts/outcome.ts';
import { formatClock, you } from '../board.ts';
import type { BoardTask, ResolvePreview } from '../board.ts';
import { useDraft } from '../../../parts/fields/drafts.ts';

/** Resolves a task with evidence, after showing what that does. The preview follows what others change meanwhile. */
export function ResolveForm({ task, onClose }: { readonly task: BoardTask; readonly onClose: () => void }) {
  const { value: preview, error, reload } = useOperation('resolve_preview', { task: task.id });
  const [evidence, setEvidence, forget] = useDraft(`resolve ${task.id}`, 'evidence');
  const submit = async (): Promise<string | null> => {
    const refusal = await resolve(task, preview, evidence);
    if (refusal === null) forget();
    else reload();
    return refusal;
  };
  return (
    <FormDialog title="Resolve this task?" action="Resolve the task" submit={submit} onClose={onClose}>
      <p dir="auto">
        <strong>{preview?.summary ?? task.summary}</strong>
      </p>
      {preview === null ? error === null ? <Loading what="what this does" /> : <Failure error={error} /> : <Effect preview={preview} />}
      <label class="field">
        {preview?.evidence === 'needed' ? 'Evidence that it is done (required)' : 'Evidence that it is done (optional)'}
        <textarea
          rows={3}
          dir="auto"
          maxLength={8000}
          value={evidence}
          required={preview?.evidence === 'needed'}
          onInput={(event) => setEvidence(event.currentTarget.value)}
        />
        <span class="quiet">A sentence, an address or a [[note]]; each line is one piece.</span>
      </label>
    </FormDialog>
  );
}

/** Returns why the task was not resolved, or null. */
function resolve(task: BoardTask, shown: ResolvePreview | null, text: string): Promise<string | null> {
  return inTurn(async () => {
    try {
      // Who types fast sends the form before the preview is there.
      const preview = shown ?? (await callOperation('resolve_preview', { task: task.id }));
      // The preview follows what others do, and its rev would let the task be resolved a second time.
      if (preview.state === 'done') throw new TaskChangedError(await callOperation('task_detail', { task: task.id }));
      const { result, warnings, batches } = await changeTask({
        id: task.id,
        rev: preview.rev,
        update: { resolved: true, add_evidence: toEvidence(text) },
        isStillRight: (detail) => detail.task.state !== 'done' && detail.task.holder === preview.holder,
      });
      const others = warnings.filter((warning) => !warning.includes('no evidence'));
      const count = result.newly_actionable?.length ?? 0;
      const ready = count === 0 ? '' : ` ${formatCount(count, 'task')} became ready.`;
      const summary = quote(task.summary);
      reportDone(`${summary} is resolved.${ready} ${others.join(' ')}`.trim(), { summary, batches });
      return null;
    } catch (error) {
      if (error instanceof TaskChangedError) return error.message;
      return describeFailedChange(error, true);
    }
  });
}

/** Returns the lines of the field as pieces of evidence. */
function toEvidence(text: string): { readonly type: string; readonly ref: string }[] {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  return lines.map((ref) => ({ type: /^https?:\/\/\S+$/i.test(ref) ? 'link' : 'note', ref }));
}

function Effect({ preview }: { readonly preview: ResolvePreview }) {
  const { becomes_ready: ready, becomes_ready_count: all, holder, until } = preview;
  // The form itself says whether evidence is needed, and the line below who holds the task.
  const warnings = preview.warnings.filter((warning) => !/has no evidence|is held by/.test(warning));
  return (
    <>
      {all === 0 ? (
        <p>No other task becomes ready.</p>
      ) : (
        <p>{all === 1 ? 'This task becomes ready:' : `These ${all} tasks become ready:`}</p>
      )}
      {all === 0 ? null : (
        <ul>
          {ready.map((each) => (
            <li key={each.id} dir="auto">
              {each.summary}
            </li>
          ))}
          {ready.length < all ? <li>and {all - ready.length} more</li> : null}
        </ul>
      )}
      {holder === undefined || holder === you.value ? null : (
        <p class="warning">
          <bdi>{holder}</bdi> is working on it, until {formatClock(until ?? '')}.
        </p>
      )}
      {warnings.map((warning) => (
        <p class="warning" key={warning} dir="auto">
          {warning}
        </p>
      ))}
      <p class="quiet">
        The change is saved to the task's note as a change by <bdi>{session.value?.person ?? ''}</bdi>.
      </p>
    </>
  );
}
