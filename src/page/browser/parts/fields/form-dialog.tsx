import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Dialog } from '../dialog.tsx';

/** A form in a dialog. It stays open with everything typed until `submit` returns null; the text that it returns says why it did not. */
export function FormDialog({
  title,
  action,
  submit,
  onClose,
  children,
}: {
  readonly title: string;
  /** Label of the button, with a verb. */
  readonly action: string;
  readonly submit: () => Promise<string | null>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    const refusal = await submit();
    setBusy(false);
    if (refusal === null) onClose();
    else setProblem(refusal);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          // Enter makes a new line in a text area.
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <div class="dialog-body">
          {children}
          <div role="alert">{problem === null ? null : <p class="form-problem">{problem}</p>}</div>
        </div>
        <div class="dialog-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
