import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, ViewUpdate } from '@codemirror/view';

const automatic = Decoration.line({ attributes: { dir: 'auto' } });

/** Lets each line have the direction of its own text. */
export const lineDirections = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = decorate(view);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
];

function decorate({ visibleRanges, state }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let done = -1;
  for (const { from, to } of visibleRanges) {
    for (let at = Math.max(from, done + 1); at <= to;) {
      const line = state.doc.lineAt(at);
      builder.add(line.from, line.from, automatic);
      done = line.to;
      at = line.to + 1;
    }
  }
  return builder.finish();
}
