import { signal } from '@preact/signals';
import { navigate } from './router.ts';
import { views } from './views/views.ts';

/** Whether the list of keyboard shortcuts is open. */
export const isHelpOpen = signal(false);

/** Longest time between `g` and the letter of a view. */
const CHORD_MS = 1500;

let chordUntil = 0;

/** Handles the shortcuts that work everywhere on the page. While the user types, only Ctrl-K works. */
export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') return act(event, openSearch);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    const isChord = performance.now() < chordUntil;
    chordUntil = 0;
    if (isChord) {
      const view = views.find(({ key }) => key === event.key.toLowerCase());
      if (view !== undefined) act(event, () => navigate(view.home));
      return;
    }
    if (event.key === 'g') chordUntil = performance.now() + CHORD_MS;
    if (event.key === '/') act(event, openSearch);
    if (event.key === '?') act(event, () => (isHelpOpen.value = true));
  });
}

function act(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  action();
}

/** Focuses the search field of the view, or opens the search view if there is none. */
export function openSearch(): void {
  const field = document.querySelector<HTMLInputElement>('input[data-main]');
  if (field === null) return navigate('/search');
  field.focus();
  field.select();
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"], [type="radio"], [type="button"])');
}
