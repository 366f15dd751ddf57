import { signal } from '@preact/signals';
import { Icon } from './icon.tsx';

/** A message about something that just happened, with at most one thing to do about it. */
interface Toast {
  readonly text: string;
  readonly isBad?: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Time for which a message about a success is shown. Others stay until they are closed. */
const SHOWN_MS = 10_000;

const shown = signal<Toast | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message in place of the one before. */
export function showToast(toast: Toast): void {
  clearTimeout(timer);
  shown.value = toast;
  if (toast.isBad !== true) timer = setTimeout(closeToast, SHOWN_MS);
}

export function closeToast(): void {
  clearTimeout(timer);
  shown.value = null;
}

/** Shows the latest message. Used once on the page. */
export function Toasts() {
  const toast = shown.value;
  return (
    <div class="toasts no-print" role="status">
      {toast === null ? null : (
        <div class={toast.isBad === true ? 'toast bad' : 'toast'}>
          <span dir="auto">{toast.text}</span>
          {toast.action === undefined ? null : (
            <button
              type="button"
              onClick={() => {
                closeToast();
                toast.action?.run();
              }}
            >
              {toast.action.label}
            </button>
          )}
          <button type="button" class="icon-button" aria-label="Close the message" onClick={closeToast}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
