import { outcome, undoLast } from './outcome.ts';

/** Says what the user's last act did, with a button to undo it. */
export function OutcomeLine() {
  const last = outcome.value;
  return (
    <div class="outcome-line" role="status" aria-live="polite">
      {last === null ? null : (
        <div class={last.isBad ? 'outcome outcome-bad' : 'outcome'}>
          <span dir="auto">{last.text}</span>
          {last.batches.length === 0 ? null : (
            <button type="button" onClick={() => void undoLast()}>
              {last.isUndo ? 'Redo' : 'Undo'}
            </button>
          )}
          <button type="button" class="quiet-button" aria-label="Dismiss" onClick={() => (outcome.value = null)}>
            ✕
          </button>
        </div>
      )}
    </div>
  );
}
