import { signal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A question to the user before an action. */
export interface Question {
  readonly title: string;
  /** What the action does. */
  readonly body: ComponentChildren;
  /** Label of the button, with a verb: `Resolve the task`. */
  readonly action: string;
  /** Whether the action removes something. */
  readonly isDangerous?: boolean;
}

const asked = signal<{ readonly question: Question; readonly answer: (isAgreed: boolean) => void } | null>(null);

/** Asks the user to confirm an action. Resolves to whether they agreed. Cancels an open question. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      question,
      answer: (isAgreed) => {
        asked.value = null;
        resolve(isAgreed);
      },
    };
  });
}

/** Opens a dialog as modal while it is mounted, then gives the focus back. */
export function useModal(element: RefObject<HTMLDialogElement | null>): void {
  // Before the next key: what is typed right after the dialog was asked for belongs to it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
}

/** A modal dialog. Traps the focus and restores it on close; Escape closes the dialog. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useModal(element);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event: Event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // Browsers close a dialog without asking when Escape is pressed twice.
        if (element.current?.isConnected === true) onClose();
      }}
      onClick={(event: MouseEvent) => {
        // A click on the dialog element itself is a click on the backdrop.
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-box">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** Shows the open question. Used once on the page. */
export function Dialogs() {
  const current = asked.value;
  if (current === null) return null;
  const { question, answer } = current;
  return (
    <Dialog key={question.title} title={question.title} onClose={() => answer(false)}>
      <div class="dialog-body">{question.body}</div>
      <div class="dialog-buttons">
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button type="button" class={question.isDangerous === true ? 'primary danger' : 'primary'} onClick={() => answer(true)}>
          {question.action}
        </button>
      </div>
    </Dialog>
  );
}
