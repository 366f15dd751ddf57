import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { FormDialog } from '../../../parts/fields/form-dialog.tsx';

/** Asks for a name in a dialog, which stays open and says why if it cannot be used. */
export function AskText({
  title,
  label,
  value,
  action,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  readonly label: string;
  readonly value: string;
  /** Label of the button. */
  readonly action: string;
  /** Throws if the text cannot be used. */
  readonly onSubmit: (text: string) => Promise<void>;
  readonly onClose: () => void;
  /** More fields. */
  readonly children?: ComponentChildren;
}) {
  const [text, setText] = useState(value);
  const submit = (): Promise<string | null> =>
    onSubmit(text.trim()).then(
      () => null,
      (error: unknown) => describeFailedChange(error, true),
    );
  return (
    <FormDialog title={title} action={action} submit={submit} onClose={onClose}>
      <label class="field">
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
      {children}
    </FormDialog>
  );
}
