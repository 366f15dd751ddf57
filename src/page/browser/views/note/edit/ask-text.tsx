import { useState } from 'preact/hooks';
import { ApiError } from '../../../api.ts';
import { Dialog } from '../../../parts/dialog.tsx';

/** Asks for a name in a dialog, which stays open and says why if it cannot be used. */
export function AskText({
  title,
  label,
  value,
  action,
  onSubmit,
  onClose,
}: {
  readonly title: string;
  readonly label: string;
  readonly value: string;
  /** Label of the button. */
  readonly action: string;
  /** Throws if the text cannot be used. */
  readonly onSubmit: (text: string) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(value);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    try {
      await onSubmit(text.trim());
      onClose();
    } catch (error) {
      setFailure(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="ask-text"
        onSubmit={(event: Event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          {label}
          <input
            type="text"
            dir="auto"
            value={text}
            autoFocus
            autocomplete="off"
            onFocus={(event: FocusEvent) => (event.currentTarget as HTMLInputElement).select()}
            onInput={(event: InputEvent) => setText((event.currentTarget as HTMLInputElement).value)}
          />
        </label>
        {failure === null ? null : (
          <p class="failure" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
