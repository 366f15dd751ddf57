import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What a person is asked before something happens. */
export interface Question {
  readonly title: string;
  /** What will happen, exactly. */
  readonly body: ComponentChildren;
  /** What the button does, as a verb: `Resolve the task`. */
  readonly action: string;
  /** It takes something away. */
  readonly isDangerous?: boolean;
}

const asked = signal<{ readonly question: Question; readonly answer: (isAgreed: boolean) => void } | null>(null);

/** Asks before something happens: resolves to whether the person wants it. One question at a time. */
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

/** A dialog over the page: focus stays inside until it closes, Escape closes it, and focus goes back to where it was. */
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
  useEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event: Event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event: MouseEvent) => {
        // The dialog itself is what is behind its box.
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

/** Where questions are shown; once on the page. */
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
