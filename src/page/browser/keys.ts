import { signal } from '@preact/signals';
import { listCommands } from './commands.ts';
import type { Command } from './commands.ts';
import { navigate } from './router.ts';

/** Whether the list of keyboard shortcuts is open. */
export const isHelpOpen = signal(false);

/** Longest time between the keys of a sequence. */
const SEQUENCE_MS = 1500;

let firstKey: { readonly key: string; readonly until: number } | null = null;

/** Runs the commands whose keys are pressed. While the user types, only those with Ctrl or ⌘. */
export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || isDialogOpen()) return;
    const { key } = event;
    if (event.ctrlKey || event.metaKey) return act(event, findCommand(['Mod', key.toLowerCase()]));
    // Of an event in a shadow root, such as that of the editor, `target` is only the element that has the root.
    if (isTyping(event.composedPath()[0])) return;
    const first = firstKey !== null && performance.now() < firstKey.until ? firstKey.key : null;
    firstKey = null;
    if (first !== null) {
      const command = findCommand([first, key.toLowerCase()]);
      if (command !== undefined) return act(event, command);
    }
    const command = findCommand([key]);
    if (command !== undefined) return act(event, command);
    if (listCommands().some(({ keys }) => keys?.length === 2 && keys[0] === key))
      firstKey = { key, until: performance.now() + SEQUENCE_MS };
  });
}

function findCommand(wanted: readonly string[]): Command | undefined {
  return listCommands().find(({ keys }) => keys?.length === wanted.length && keys.every((key, at) => key === wanted[at]));
}

function act(event: KeyboardEvent, command: Command | undefined): void {
  if (command === undefined) return;
  event.preventDefault();
  command.run();
}

/** Focuses the search field of the view, or opens the search view if there is none. */
export function openSearch(): void {
  const field = document.querySelector<HTMLInputElement>('input[data-main]');
  if (field === null) return navigate('/search');
  field.focus();
  field.select();
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function isTyping(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"], [type="radio"], [type="button"])');
}
