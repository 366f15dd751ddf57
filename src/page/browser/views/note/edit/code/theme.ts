import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of the editor, in the tokens of the page, which reach into its shadow root. */
export const editorTheme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: 'var(--size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.65', overflow: 'visible' },
  '.cm-content': { padding: 'var(--space-4)', minHeight: '55vh', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0', textAlign: 'start', overflowWrap: 'anywhere' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font)', maxWidth: 'min(30rem, 90vw)', maxHeight: '15rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: 'var(--space-3)',
    justifyContent: 'space-between',
    padding: '0.35rem 0.7rem',
    lineHeight: '1.35',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionLabel': { overflow: 'hidden', textOverflow: 'ellipsis', unicodeBidi: 'isolate' },
  '.cm-completionDetail': { margin: '0', fontStyle: 'normal', fontSize: 'var(--size-small)', color: 'inherit', opacity: '0.8' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--ink)' },
  // Below the toolbar of the page.
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)', top: 'var(--edit-covered)', zIndex: '4' },
  '.find-bar': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: 'var(--space-2)',
    padding: 'var(--space-2) var(--space-4)',
    font: 'var(--size) var(--font)',
  },
  '.find-bar input': {
    font: 'inherit',
    color: 'inherit',
    minWidth: '0',
    flex: '1 1 12rem',
    padding: '0.3rem 0.6rem',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
  },
  '.find-bar button': {
    font: 'inherit',
    color: 'inherit',
    minHeight: '2.25rem',
    padding: '0.3rem 0.8rem',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    cursor: 'pointer',
  },
});

const strong = { fontWeight: '700' };
const quiet = { color: 'var(--ink-soft)' };

export const highlighting = HighlightStyle.define([
  { tag: tags.heading, ...strong, color: 'var(--accent-strong)' },
  { tag: tags.strong, ...strong },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--info)' },
  { tag: tags.monospace, color: 'var(--good)' },
  { tag: [tags.processingInstruction, tags.quote, tags.meta, tags.comment, tags.contentSeparator, tags.labelName], ...quiet },
]);
