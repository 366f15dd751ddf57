import type { ComponentChildren } from 'preact';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { useDraft } from '../../../parts/fields/drafts.ts';
import { FormDialog } from '../../../parts/fields/form-dialog.tsx';

/** Asks for a name in a dialog, which stays open and says why if it cannot be used. */
export function AskText({
  draft,
  title,
  label,
  value,
  action,
  onSubmit,
  onClose,
  children,
}: {
  /** Names what is asked, so that what was typed is still there when it is asked again. */
  readonly draft: string;
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
  const [text, setText, forget] = useDraft(draft, 'name', value);
  const submit = (): Promise<string | null> =>
    onSubmit(text.trim()).then(
      () => {
        forget();
        return null;
      },
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
