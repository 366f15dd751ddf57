import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { callOperation } from '../../../api.ts';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { canWrite } from '../../../session.ts';
import type { NotePage } from '../page-shapes.ts';

/** Items whose boxes can be ticked: those in one of the two states that everybody knows. */
const ITEMS = [' ', 'x', 'X'].map((mark) => `li[data-task="${mark}"]`);
/** Their boxes, if they are of the note itself and not of an embedded one. */
const BOXES = ITEMS.flatMap((item) => [`${item} > input[data-mark]`, `${item} > p > input[data-mark]`]).join(', ');

/** Lets the checkboxes in the text of a note tick. `reload` fetches the page again. */
export function useCheckboxes(article: RefObject<HTMLElement | null>, page: NotePage, reload: () => void): void {
  const focusedLine = useRef<string | null>(null);
  /** The etag of the note after the ticks so far, and the tick that is being written. */
  const state = useRef({ etag: page.etag, ticking: Promise.resolve() });
  useLayoutEffect(() => {
    state.current.etag = page.etag;
  }, [page.path, page.etag]);

  useLayoutEffect(() => {
    if (!canWrite() || !page.is_utf8) return;
    for (const box of article.current?.querySelectorAll<HTMLInputElement>(BOXES) ?? []) box.disabled = false;
    // The whole list is replaced when one of its boxes changes.
    const line = focusedLine.current;
    if (line !== null && document.activeElement === document.body)
      article.current?.querySelector<HTMLInputElement>(`input[data-line="${line}"]`)?.focus({ preventScroll: true });
  });

  useLayoutEffect(() => {
    const target = article.current;
    const tick = (box: HTMLInputElement, isDone: boolean): Promise<void> => tickBox({ box, isDone, path: page.path, state: state.current });
    const onChange = ({ target: box }: Event): void => {
      if (!(box instanceof HTMLInputElement) || box.dataset['mark'] === undefined) return;
      const isDone = box.checked;
      focusedLine.current = box.dataset['line'] ?? null;
      // One after the other, so that each knows the text that the one before has left.
      state.current.ticking = state.current.ticking.then(() => tick(box, isDone)).then(reload);
    };
    // Chrome also reports the focus as lost where the focused box is removed, so only its arrival elsewhere counts.
    const onElsewhere = ({ target: other }: Event): void => {
      if (!(other instanceof HTMLElement) || other.dataset['line'] !== focusedLine.current) focusedLine.current = null;
    };
    target?.addEventListener('change', onChange);
    for (const kind of ['focusin', 'pointerdown']) document.addEventListener(kind, onElsewhere);
    return () => {
      target?.removeEventListener('change', onChange);
      for (const kind of ['focusin', 'pointerdown']) document.removeEventListener(kind, onElsewhere);
    };
  }, [page.path, reload]);
}

/** Writes the state that a box already shows, and takes it back where that fails. */
async function tickBox(ticked: {
  readonly box: HTMLInputElement;
  readonly isDone: boolean;
  readonly path: string;
  readonly state: { etag: string };
}): Promise<void> {
  const { box, isDone, path, state } = ticked;
  const { line, mark = '' } = box.dataset;
  try {
    const done = await callOperation('tick_checkbox', { path, line: Number(line), mark, is_done: isDone, if_match: state.etag });
    box.dataset['mark'] = done.mark;
    if (done.was === state.etag) state.etag = done.etag;
  } catch (error) {
    box.checked = !isDone;
    showFailedChange(error);
  }
}
