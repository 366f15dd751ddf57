import { StateEffect, StateField } from '@codemirror/state';
import { EditorView, keymap, showPanel } from '@codemirror/view';
import type { Panel } from '@codemirror/view';

const toggle = StateEffect.define<boolean>();

const isOpen = StateField.define<boolean>({
  create: () => false,
  update: (open, transaction) => transaction.effects.reduce((state, effect) => (effect.is(toggle) ? effect.value : state), open),
  provide: (field) => showPanel.from(field, (open) => (open ? openPanel : null)),
});

/** A search in the text (Ctrl-F): the browser's own sees only the lines in the window. */
export const findBar = [
  isOpen,
  keymap.of([
    { key: 'Mod-f', run: (view) => open(view) },
    { key: 'Mod-g', run: (view) => find(view, 1), shift: (view) => find(view, -1), preventDefault: true },
  ]),
];

function open(view: EditorView): boolean {
  view.dispatch({ effects: toggle.of(true) });
  const field = fieldOf(view);
  field?.focus();
  field?.select();
  return true;
}

function close(view: EditorView): void {
  view.dispatch({ effects: toggle.of(false) });
  view.focus();
}

function fieldOf(view: EditorView): HTMLInputElement | null {
  return view.dom.querySelector<HTMLInputElement>('.find-bar input');
}

function openPanel(view: EditorView): Panel {
  const dom = document.createElement('form');
  dom.className = 'find-bar';
  const field = document.createElement('input');
  field.setAttribute('aria-label', 'Find in this text');
  field.placeholder = 'Find';
  const { from, to } = view.state.selection.main;
  field.value = view.state.sliceDoc(from, Math.min(to, from + 200)).split('\n')[0] ?? '';
  const said = document.createElement('span');
  said.setAttribute('role', 'status');
  const button = (label: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = label;
    made.addEventListener('click', act);
    return made;
  };
  const go = (step: 1 | -1): void => {
    said.textContent = field.value === '' || find(view, step) ? '' : 'Not found';
  };
  dom.append(
    field,
    button('Previous', () => go(-1)),
    button('Next', () => go(1)),
    button('Close', () => close(view)),
    said,
  );
  dom.addEventListener('submit', (event) => event.preventDefault());
  dom.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close(view);
    else if (event.key === 'Enter' && event.target === field) go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { dom, top: true };
}

/** Selects the next place that has the searched text, in any case, and goes on from the other end after the last one. */
function find(view: EditorView, step: 1 | -1): boolean {
  const query = fieldOf(view)?.value.toLowerCase() ?? '';
  if (query === '') return false;
  const text = view.state.doc.toString().toLowerCase();
  const { from, to } = view.state.selection.main;
  const next = step === 1 ? text.indexOf(query, to) : from === 0 ? -1 : text.lastIndexOf(query, from - 1);
  const at = next !== -1 ? next : step === 1 ? text.indexOf(query) : text.lastIndexOf(query);
  if (at === -1) return false;
  view.dispatch({ selection: { anchor: at, head: at + query.length }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  return true;
}
