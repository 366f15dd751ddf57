import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import { pickedCompletion } from '@codemirror/autocomplete';
import type { EditorState } from '@codemirror/state';
import { callOperation } from '../../../../api.ts';
import type { Arguments } from '../../../../operations.ts';

type Kind = Arguments<'complete_text'>['kind'];

/** What is being typed: its kind, its start, and how it ends when it is complete. */
interface Wanted {
  readonly kind: Kind;
  readonly typed: string;
  readonly from: number;
  readonly of?: string;
  /** What follows a completion, unless it is there already. */
  readonly end?: string;
}

/** Longest text that is looked up. */
const MAX_TYPED_CHARACTERS = 200;

/** Returns what completes `[[` with notes and their headings, `#` with tags, and properties with their values. */
export function completeNote(path: string): CompletionSource {
  return async (context): Promise<CompletionResult | null> => {
    const wanted = whatIsTyped(context);
    if (wanted === null || wanted.typed.length > MAX_TYPED_CHARACTERS) return null;
    const { kind, typed, from, of = '', end = '' } = wanted;
    const control = new AbortController();
    context.addEventListener('abort', () => control.abort());
    try {
      const { completions } = await callOperation('complete_text', { path, kind, typed, of }, { signal: control.signal });
      if (context.aborted || completions.length === 0) return null;
      return {
        from,
        filter: false,
        options: completions.map(({ label, detail, text }) => ({
          label,
          ...(detail === undefined ? {} : { detail }),
          apply(view, completion, start, stop) {
            const isEnded = end !== '' && view.state.sliceDoc(stop, stop + end.length) === end;
            view.dispatch({
              changes: { from: start, to: stop, insert: isEnded ? text : text + end },
              selection: { anchor: start + text.length + end.length },
              userEvent: 'input.complete',
              annotations: pickedCompletion.of(completion),
            });
          },
        })),
      };
    } catch {
      // Without the server there is nothing to complete, and typing goes on.
      return null;
    }
  };
}

function whatIsTyped(context: CompletionContext): Wanted | null {
  const { state, pos } = context;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const link = /\[\[([^[\]|\n]*)$/.exec(before)?.[1];
  if (link !== undefined) {
    const hash = link.indexOf('#');
    if (hash === -1) return { kind: 'link', typed: link, from: pos - link.length, end: ']]' };
    const typed = link.slice(link.lastIndexOf('#') + 1);
    return typed.startsWith('^') ? null : { kind: 'heading', typed, of: link.slice(0, hash), from: pos - typed.length, end: ']]' };
  }
  if (isInFrontmatter(state, line.number)) return inFrontmatter(state, line.number, before, context.explicit, pos);
  const tag = /(?:^|[\s(])#([\p{L}\p{N}_/-]*)$/u.exec(before)?.[1];
  if (tag === undefined || (tag === '' && !context.explicit)) return null;
  return { kind: 'tag', typed: tag, from: pos - tag.length };
}

/** Longest frontmatter that is looked at. */
const MAX_FRONTMATTER_LINES = 500;
const FENCE = /^---[ \t]*$/;

function isInFrontmatter({ doc }: EditorState, number: number): boolean {
  if (number < 2 || number > MAX_FRONTMATTER_LINES || !FENCE.test(doc.line(1).text)) return false;
  for (let at = 2; at < number; at += 1) if (FENCE.test(doc.line(at).text)) return false;
  return true;
}

function inFrontmatter({ doc }: EditorState, number: number, before: string, isExplicit: boolean, pos: number): Wanted | null {
  const [, key, gap = '', value = ''] = /^([^\s:#-][^:]{0,200}):([ \t]+)(.*)$/.exec(before) ?? [];
  if (key !== undefined) return valueOf(key, value.replace(/^\[(?:.*,)?[ \t]*/, ''), pos, gap !== '');
  const item = /^[ \t]*-[ \t]+(.*)$/.exec(before)?.[1];
  if (item !== undefined) {
    for (let at = number - 1; at > 1; at -= 1) {
      const above = /^([^\s:#-][^:]{0,200}):[ \t]*$/.exec(doc.line(at).text)?.[1];
      if (above !== undefined) return valueOf(above, item, pos, true);
      if (!/^[ \t]*-[ \t]/.test(doc.line(at).text)) return null;
    }
    return null;
  }
  if (!/^[\p{L}_][\p{L}\p{N}_ -]*$/u.test(before) && !(isExplicit && before === '')) return null;
  return { kind: 'property', typed: before, from: pos - before.length, end: ': ' };
}

function valueOf(key: string, typed: string, pos: number, isSeparate: boolean): Wanted | null {
  return isSeparate ? { kind: 'value', of: key.trim(), typed, from: pos - typed.length } : null;
}
