import { autocompletion, completionKeymap, completionStatus } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { markdown, markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
import { indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import type { Command } from '@codemirror/view';
import { completeNote } from './completion.ts';
import { findBar } from './find-bar.ts';
import { frontmatter } from './frontmatter.ts';
import { lineDirections } from './line-directions.ts';
import { editorTheme, highlighting } from './theme.ts';

export interface CodeEditorOptions {
  /** Where the editor is put. It gets a shadow root, where its styles need no exception from the page's policy. */
  readonly host: HTMLElement;
  /** The path of the note, for completion. */
  readonly path: string;
  readonly label: string;
  readonly text: string;
  readonly onChange: () => void;
  readonly onSave: (isFinal: boolean) => void;
  readonly onEscape: () => void;
}

/** A Markdown editor. Its text has LF as line ends. */
export interface CodeEditor {
  readonly text: () => string;
  /** Replaces the text where it differs, so that the selection stays. It can be undone. */
  readonly replace: (text: string) => void;
  readonly focus: () => void;
  readonly close: () => void;
}

/** Opens an editor and puts the cursor at the start. */
export function openCodeEditor(options: CodeEditorOptions): CodeEditor {
  const { host, label, text, path } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        highlightSpecialChars(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true', autocapitalize: 'sentences', autocorrect: 'on' }),
        lineDirections,
        indentUnit.of(indentOf(text)),
        markdown({ base: markdownLanguage, extensions: frontmatter, completeHTMLTags: false }),
        syntaxHighlighting(highlighting),
        editorTheme,
        // Before the completion's own key, which also stops a search that shows nothing yet.
        Prec.highest(keymap.of([{ key: 'Escape', run: ({ state }) => completionStatus(state) !== 'active' && run(options.onEscape) }])),
        autocompletion({ override: [completeNote(path)], icons: false }),
        findBar,
        keymap.of([
          { key: 'Mod-s', run: () => run(() => options.onSave(false)) },
          { key: 'Mod-Enter', run: () => run(() => options.onSave(true)) },
          ...completionKeymap,
          ...markdownKeymap,
          // Elsewhere Tab leaves the text, so that nobody is trapped in it.
          { key: 'Tab', run: inList(indentMore), shift: inList(indentLess) },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange();
          const isByKeys = update.selectionSet && !update.transactions.some((each) => each.isUserEvent('select.pointer'));
          if (isByKeys) showBelowToolbar(view);
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace: (next) => replaceText(view, next),
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

/** Height of what covers the upper edge of the window: the toolbar, and the bar of the page on phones. */
const COVERED_PX = 120;

/** Scrolls a cursor that is behind the toolbar into sight. Margins for scrolling would hide completions near the edges of the text. */
function showBelowToolbar(view: EditorView): void {
  view.requestMeasure({
    read: () => view.coordsAtPos(view.state.selection.main.head),
    write(place) {
      if (place !== null && place.top < COVERED_PX) scrollBy(0, place.top - COVERED_PX);
    },
  });
}

function run(action: () => void): true {
  action();
  return true;
}

const LIST_ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/** Returns a command that does something only if the selection begins in a list item. */
function inList(command: Command): Command {
  return (view) => LIST_ITEM.test(view.state.doc.lineAt(view.state.selection.main.from).text) && command(view);
}

/** Returns what one level of a list is indented by in a text; a tab, as in Obsidian, if it has none. */
function indentOf(text: string): string {
  return /^(\t| {2,4})(?:[-*+]|\d{1,9}[.)])[ \t]/m.exec(text)?.[1] ?? '\t';
}

function replaceText(view: EditorView, next: string): void {
  const now = view.state.doc.toString();
  const most = Math.min(now.length, next.length);
  let [start, end] = [0, 0];
  while (start < most && now[start] === next[start]) start += 1;
  while (end < most - start && now.at(-1 - end) === next.at(-1 - end)) end += 1;
  if (start + end === now.length && now.length === next.length) return;
  view.dispatch({ changes: { from: start, to: now.length - end, insert: next.slice(start, next.length - end) } });
}
