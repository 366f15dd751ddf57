import { isBlank } from '../../note/text.ts';
import type { Splice } from '../../note/text.ts';
import type { FileChange } from '../plan/plan.ts';
import { rewriteFile } from './canvas.ts';
import type { FileView } from './file-lookup.ts';

/** What a step makes of the things that a base names. Each is null where it stays. */
export interface BaseEdits {
  /** The new path of a file. */
  readonly fileOf: (path: string) => string | null;
  readonly folderOf: (folder: string) => string | null;
  readonly tagOf: (tag: string) => string | null;
  /** The new text of a link. */
  readonly linkOf: (link: string, base: string) => string | null;
  /** Where the base itself is afterwards. */
  readonly pathAfter: (base: string) => string;
}

/** A string literal of an expression, without its quotes, and what stands around it on its line. */
interface Literal {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** The function whose argument it is, alone or after other literals; `''` where it is none. */
  readonly call: string;
  /** The end of what stands before it, blanks aside. */
  readonly before: string;
  readonly after: string;
}

/** A literal names something: what it becomes, or null where it is left alone, and how to tell of it. */
interface Named {
  readonly to: string | null;
  readonly shown: string;
}

/**
 * Changes to the bases that a step concerns: literals that are exactly a file, a folder or a tag get the new name, and no other byte
 * changes. Arguments of functions (`hasLink("…")`, `hasTag`, `inFolder`, `link`) are told of and left alone: what they mean is decided
 * when the base is shown. `moved`: what takes the place of a plain move.
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

/** What the literals of a base text name: the places to rewrite, and what is left alone, each said once. */
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

/** Double quotes as they are or escaped in a YAML string, single quotes. A pair that spans several literals is no name of anything. */
const QUOTED = [/\\"([^"\\\r\n]*)\\"/g, /(?<!\\)"([^"\\\r\n]*)"/g, /'([^'\\\r\n]*)'/g];

/** How far around a literal is looked: further than the longest name that counts. */
const AROUND = 40;
/** The function that is called right before. */
const CALL = /\b(link|file|hasLink|inFolder|hasTag|tags\.contains(?:Any|All)?)\($/;
/** What a literal is compared with. */
const COMPARED = /\bfile\.folder\s*[!=]=$/;

/** The literals of a text, in one pass: each is told by the one before it of which function it is an argument. */
function literalsOf(text: string): readonly Literal[] {
  const found = QUOTED.flatMap((pattern) => [...text.matchAll(pattern)]).sort((a, b) => a.index - b.index);
  const literals: Literal[] = [];
  /** The functions of literals by where these end. */
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
    const before = text.slice(Math.max(line, end - AROUND), end);
    const call = before.endsWith(',') ? (calls.get(blanksBefore(text, line, end - 1)) ?? '') : (CALL.exec(before)?.[1] ?? '');
    calls.set(stop, call);
    if (value !== '' && !isComment)
      literals.push({ start, end: start + value.length, value, call, before, after: text.slice(stop, stop + AROUND) });
  }
  return literals;
}

/** Where the blanks begin that end at an offset of a line. */
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
  // A path with its extension means that file wherever it stands.
  return /\.\w+$/.test(value) ? named(edits.fileOf(value), `"${value}"`) : null;
}

function tagOf(value: string, edits: BaseEdits): string | null {
  const mark = value.startsWith('#') ? '#' : '';
  const to = edits.tagOf(value.slice(mark.length));
  return to === null ? null : mark + to;
}

/** Folders may be written with a slash at their end, or at their start. */
function folderOf(value: string, edits: BaseEdits): string | null {
  const [, open = '', folder = '', close = ''] = /^(\/?)(.*?)(\/?)$/.exec(value) ?? [];
  const to = edits.folderOf(folder);
  return to === null ? null : open + to + close;
}
