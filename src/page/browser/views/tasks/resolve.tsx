import { signal } from '@preact/signals';
import { callOperation, callWithWarnings } from '../../api.ts';
import { confirm } from '../../parts/dialog.tsx';
import { describeFailedChange } from '../../parts/failed-change.ts';
import { session } from '../../session.ts';
import { formatCount } from './board.ts';
import type { ResolvePreview } from './board.ts';

/** The outcome of the user's last action. */
export const outcome = signal<{ readonly text: string; readonly isBad: boolean } | null>(null);

/** Resolves a task after the user has confirmed a preview. Returns whether it was resolved. */
export async function resolveTask(id: string, summary: string): Promise<boolean> {
  outcome.value = null;
  let isSent = false;
  try {
    let reason = '';
    const preview = await callOperation('resolve_preview', { task: id });
    const isAgreed = await confirm({
      title: 'Resolve this task?',
      body: <ResolveEffect preview={preview} onReason={(text) => (reason = text.trim())} />,
      action: 'Resolve the task',
    });
    if (!isAgreed) return false;
    isSent = true;
    const { warnings } = await callWithWarnings('graph_update', {
      updates: [{ node_id: id, resolved: true, expected_rev: preview.rev, ...(reason === '' ? {} : { resolved_reason: reason }) }],
      decision_context: 'Resolved at the web page',
    });
    const others = warnings.filter((warning) => !warning.includes('no evidence'));
    const ready = preview.becomes_ready_count === 0 ? '' : ` ${formatCount(preview.becomes_ready_count, 'task')} became ready.`;
    outcome.value = { text: `“${truncate(summary)}” is resolved.${ready} ${others.join(' ')}`.trim(), isBad: false };
    return true;
  } catch (error) {
    outcome.value = { text: describeFailedChange(error, isSent), isBad: true };
    return false;
  }
}

function ResolveEffect({ preview, onReason }: { readonly preview: ResolvePreview; readonly onReason: (text: string) => void }) {
  const { becomes_ready: ready, becomes_ready_count: all, warnings } = preview;
  return (
    <>
      <p dir="auto">
        <strong>{preview.summary}</strong>
      </p>
      {all === 0 ? (
        <p>No other task becomes ready.</p>
      ) : (
        <p>{all === 1 ? 'This task becomes ready:' : `These ${all} tasks become ready:`}</p>
      )}
      {all === 0 ? null : (
        <ul>
          {ready.map((task) => (
            <li key={task.id} dir="auto">
              {task.summary}
            </li>
          ))}
          {ready.length < all ? <li>and {all - ready.length} more</li> : null}
        </ul>
      )}
      {warnings.map((warning) => (
        <p class="warning" key={warning} dir="auto">
          {warning}
        </p>
      ))}
      <label class="reason">
        {preview.evidence === 'needed' ? 'Evidence that it is done (required)' : 'Evidence that it is done (optional)'}
        <textarea rows={2} dir="auto" maxLength={2000} onInput={(event) => onReason(event.currentTarget.value)} />
      </label>
      <p class="quiet">
        The change is saved to the task's note as a change by <bdi>{session.value?.person ?? ''}</bdi>. You can undo it in Activity.
      </p>
    </>
  );
}

function truncate(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
