import { isBlank } from '../../note/text.ts';
import type { Splice } from '../../note/text.ts';
import type { FileChange } from '../plan/plan.ts';
import { rewriteFile } from './canvas.ts';
import type { FileView } from './file-lookup.ts';

/** New names of what a base can refer to. Each function returns null for what keeps its name. */
export interface BaseEdits {
  /** Returns the new path of a file. */
  readonly fileOf: (path: string) => string | null;
  readonly folderOf: (folder: string) => string | null;
  readonly tagOf: (tag: string) => string | null;
  /** Returns the new text of a link. */
  readonly linkOf: (link: string, base: string) => string | null;
  /** Returns the path of the base itself after the change. */
  readonly pathAfter: (base: string) => string;
}

/** A string literal of an expression, without its quotes, and the text around it on its line. */
interface Literal {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** The function that it is an argument of, also after other literals; `''` for none. */
  readonly call: string;
  /** The end of the text before it, without blanks. */
  readonly before: string;
  readonly after: string;
}

/** What a literal refers to: its new text, or null if it must be left alone, and how to show it in a warning. */
interface Named {
  readonly to: string | null;
  readonly shown: string;
}

/**
 * Plans the changes to bases: literals that are exactly a file, a folder or a tag get the new name, and no other byte changes. Arguments of
 * functions (`hasLink("…")`, `hasTag`, `inFolder`, `link`) are reported and left alone, since their meaning depends on where the base is
 * shown. `moved` holds the changes that replace a plain move, by the old path.
 */
export function planBases(
  context: FileView,
  edits: BaseEdits,
): { files: FileChange[]; moved: ReadonlyMap<string, FileChange>; warnings: string[] } {
  const files: FileChange[] = [];
  const moved = new Map<string, FileChange>();
  const warnings: string[] = [];
  for (const path of context.graph.attachments()) {
    if (!/\.base$/i.test(path)) continue;
    const text = context.readText(path);
    if (text === null) continue;
    const { splices, left } = readNames(text, path, edits);
    for (const shown of left) warnings.push(`${path}: a filter names ${shown}; it was left alone. Change it by hand.`);
    if (splices.length === 0) continue;
    const change = rewriteFile({ path, text, splices }, edits.pathAfter(path));
    if (change.kind === 'move') moved.set(path, change);
    else files.push(change);
  }
  return { files, moved, warnings };
}

/** Finds the literals to rewrite, and those that are left alone, each once. */
function readNames(
  text: string,
  base: string,
  edits: BaseEdits,
): { readonly splices: readonly Splice[]; readonly left: ReadonlySet<string> } {
  const splices: Splice[] = [];
  const left = new Set<string>();
  for (const literal of literalsOf(text)) {
    const named = nameOf(literal, base, edits);
    if (named === null) continue;
    const isWritable = named.to !== null && !/["'\\\p{Cc}]/u.test(named.to);
    if (named.to !== null && isWritable) splices.push({ start: literal.start, end: literal.end, text: named.to });
    else left.add(named.shown);
  }
  return { splices, left };
}

/** Double quotes, plain or escaped in a YAML string, and single quotes. A match that spans several literals names nothing. */
const QUOTED = [/\\"([^"\\\r\n]*)\\"/g, /(?<!\\)"([^"\\\r\n]*)"/g, /'([^'\\\r\n]*)'/g];

/** Characters examined around a literal; more than the longest name that matters. */
const CONTEXT_CHARACTERS = 40;
/** A call right before a literal. */
const CALL = /\b(link|file|hasLink|inFolder|hasTag|tags\.contains(?:Any|All)?)\($/;
/** A comparison with a folder right before a literal. */
const COMPARED = /\bfile\.folder\s*[!=]=$/;

/** Lists the literals of a text in one pass. Each further argument takes its function from the literal before it. */
function literalsOf(text: string): readonly Literal[] {
  const found = QUOTED.flatMap((pattern) => [...text.matchAll(pattern)]).sort((a, b) => a.index - b.index);
  const literals: Literal[] = [];
  /** Functions of literals by their end offsets. */
  const calls = new Map<number, string>();
  let [line, next, isComment] = [0, -1, false];
  for (const match of found) {
    while (next < match.index) {
      line = next + 1;
      const end = text.indexOf('\n', line);
      next = end < 0 ? text.length : end;
      isComment = text.slice(line, next).trimStart().startsWith('#');
    }
    const value = match[1] ?? '';
    const mark = (match[0].length - value.length) / 2;
    const [start, stop] = [match.index + mark, match.index + match[0].length];
    const end = blanksBefore(text, line, match.index);
    const before = text.slice(Math.max(line, end - CONTEXT_CHARACTERS), end);
    const call = before.endsWith(',') ? (calls.get(blanksBefore(text, line, end - 1)) ?? '') : (CALL.exec(before)?.[1] ?? '');
    calls.set(stop, call);
    if (value !== '' && !isComment)
      literals.push({ start, end: start + value.length, value, call, before, after: text.slice(stop, stop + CONTEXT_CHARACTERS) });
  }
  return literals;
}

/** Returns where the blanks before an offset of a line start. */
function blanksBefore(text: string, line: number, offset: number): number {
  let at = offset;
  while (at > line && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function nameOf({ value, call, before, after }: Literal, base: string, edits: BaseEdits): Named | null {
  const isWhole = !/^\s*\+/.test(after) && !before.endsWith('+');
  const named = (to: string | null, shown: string, isLeft = !isWhole): Named | null =>
    to === null ? null : { to: isLeft ? null : to, shown };
  const shown = `${call}("${value}")`;
  if (call === 'link' || call === 'file' || call === 'hasLink') return named(edits.linkOf(value, base), shown, true);
  if (call === 'inFolder') return named(folderOf(value, edits), shown, true);
  if (call === 'hasTag') return named(tagOf(value, edits), shown, true);
  if (call !== '') return named(tagOf(value, edits), shown);
  if (COMPARED.test(before)) return named(folderOf(value, edits), `file.folder "${value}"`);
  if (value.startsWith('#')) return named(tagOf(value, edits), value);
  // A path with an extension means that file wherever it is used.
  return /\.\w+$/.test(value) ? named(edits.fileOf(value), `"${value}"`) : null;
}

function tagOf(value: string, edits: BaseEdits): string | null {
  const mark = value.startsWith('#') ? '#' : '';
  const to = edits.tagOf(value.slice(mark.length));
  return to === null ? null : mark + to;
}

/** Folders may have a slash at either end. */
function folderOf(value: string, edits: BaseEdits): string | null {
  const [, open = '', folder = '', close = ''] = /^(\/?)(.*?)(\/?)$/.exec(value) ?? [];
  const to = edits.folderOf(folder);
  return to === null ? null : open + to + close;
}
