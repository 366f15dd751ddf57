import { resolveLinkpath } from '../../graph/links/resolve.ts';
import { readLinks, relinkSplices } from '../../note/body/relink.ts';
import type { Relink } from '../../note/change.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { readBody } from '../../note/parse.ts';
import { applySplices } from '../../note/text.ts';
import type { Splice } from '../../note/text.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { FileChange } from '../plan/plan.ts';
import { fileLookup } from './file-lookup.ts';
import type { FileView } from './file-lookup.ts';
import { jsonOffsets, jsonStrings } from './json-text.ts';
import type { JsonString } from './json-text.ts';
import type { LinkUse } from './relinks.ts';

/** New names of what a canvas can refer to. Each function returns null for what keeps its name. */
export interface CanvasEdits {
  /** Returns the new path of a file that a node shows, whole or a part of it. */
  readonly fileOf: (path: string, subpath?: string) => string | null;
  /** Returns the new subpath (`#heading`) of a file that a node shows. */
  readonly subpathOf: (path: string, subpath: string) => string | null;
  /** Returns the rewritten form of a link in a text node. */
  readonly relinkOf: (link: LinkUse, canvas: string) => Relink | null;
  /** Returns the new name of a tag. Tags in canvases are reported and left alone, since Obsidian does not support them there. */
  readonly tagOf: (tag: string) => string | null;
  /** Returns the path of the canvas itself after the change. */
  readonly pathAfter: (canvas: string) => string;
}

/**
 * Plans the changes to canvases: values are spliced, the rest of the JSON keeps its bytes. `moved` holds the changes that replace a plain
 * move, by the old path.
 */
export function planCanvases(
  context: FileView,
  edits: CanvasEdits,
): { files: FileChange[]; moved: ReadonlyMap<string, FileChange>; warnings: string[] } {
  const changes: FileChange[] = [];
  const moved = new Map<string, FileChange>();
  const warnings: string[] = [];
  for (const path of context.graph.attachments()) {
    if (!/\.canvas$/i.test(path)) continue;
    const text = context.readText(path);
    if (text === null || text.trim() === '') continue;
    const strings = readStrings(text);
    if (strings === null) {
      warnings.push(`${path}: the canvas is not valid JSON; links in it were left alone.`);
      continue;
    }
    const nodes = nodesOf(text, strings);
    const tags = nodes.flatMap((node) => tagsOf(node.get('text')?.value ?? '', edits));
    for (const tag of new Set(tags)) warnings.push(`${path}: a text names #${tag}; it was left alone. Change it by hand.`);
    const splices = nodes.flatMap((node) => nodeSplices(path, text, node, edits));
    if (splices.length === 0) continue;
    const change = rewriteFile({ path, text, splices }, edits.pathAfter(path));
    if (change.kind === 'move') moved.set(path, change);
    else changes.push(change);
  }
  return { files: changes, moved, warnings };
}

function tagsOf(content: string, edits: CanvasEdits): readonly string[] {
  if (!content.includes('#')) return [];
  return readBody(content).tagUses.flatMap(({ tag }) => (edits.tagOf(tag) === null ? [] : [tag]));
}

/** Returns the canvases that show a file or link to it, by the file's path. */
export function usesInCanvases(context: FileView): ReadonlyMap<string, ReadonlySet<string>> {
  const uses = new Map<string, Set<string>>();
  const lookup = fileLookup(context.graph);
  for (const canvas of context.graph.attachments()) {
    const text = /\.canvas$/i.test(canvas) ? context.readText(canvas) : null;
    const strings = text === null ? null : readStrings(text);
    if (text === null || strings === null) continue;
    for (const node of nodesOf(text, strings)) {
      const shown = ['file', 'background'].flatMap((key) => node.get(key)?.value ?? []);
      const linked = readLinks(node.get('text')?.value ?? '').flatMap(({ link }) => {
        const { linkpath } = splitLinkText(link);
        return linkpath === '' ? [] : (resolveLinkpath(lookup, { linkpath, from: canvas }).path ?? []);
      });
      for (const path of [...shown, ...linked]) uses.set(path, (uses.get(path) ?? new Set()).add(canvas));
    }
  }
  return uses;
}

/** Returns a change that splices a file other than a note, and moves it if its path changes. */
export function rewriteFile(
  { path, text, splices }: { path: string; text: string; splices: readonly Splice[] },
  target: string,
): FileChange {
  const hash = hashOf(Buffer.from(text));
  if (target === path) return { kind: 'splice', path, hash, splices };
  const bytes = Buffer.from(applySplices(text, splices));
  return { kind: 'move', from: path, to: target, changes: [], rewrite: { hash, bytes } };
}

/** The text values of one canvas node by key. */
type CanvasNode = ReadonlyMap<string | number, { readonly span: JsonString; readonly value: string }>;

function nodesOf(text: string, strings: readonly JsonString[]): CanvasNode[] {
  const nodes = new Map<string | number, Map<string | number, { span: JsonString; value: string }>>();
  for (const span of strings) {
    const [list, index, key] = span.keys;
    if (list !== 'nodes' || span.keys.length !== 3 || index === undefined || key === undefined) continue;
    const node = nodes.get(index) ?? new Map<string | number, { span: JsonString; value: string }>();
    node.set(key, { span, value: JSON.parse(text.slice(span.start, span.end)) as string });
    nodes.set(index, node);
  }
  return [...nodes.values()];
}

function nodeSplices(path: string, text: string, node: CanvasNode, edits: CanvasEdits): Splice[] {
  const splices: Splice[] = [];
  const put = (key: string, value: string | null | undefined): void => {
    const span = node.get(key)?.span;
    if (span !== undefined && typeof value === 'string') splices.push({ start: span.start, end: span.end, text: JSON.stringify(value) });
  };
  const [file, subpath, background, content] = ['file', 'subpath', 'background', 'text'].map((key) => node.get(key)?.value);
  if (file !== undefined) {
    put('file', edits.fileOf(file, subpath));
    if (subpath !== undefined) put('subpath', edits.subpathOf(file, subpath));
  }
  if (background !== undefined) put('background', edits.fileOf(background));
  const span = node.get('text')?.span;
  if (content !== undefined && span !== undefined) splices.push(...textSplices(path, text, { span, content }, edits));
  return splices;
}

function textSplices(path: string, text: string, { span, content }: { span: JsonString; content: string }, edits: CanvasEdits): Splice[] {
  const relinks = readLinks(content).flatMap((link) => edits.relinkOf({ form: link.form, ...splitLinkText(link.link) }, path) ?? []);
  if (relinks.length === 0) return [];
  const offsets = jsonOffsets(text, span);
  return relinkSplices(path, content, relinks).map((splice) => ({
    start: offsets[splice.start] ?? span.end - 1,
    end: offsets[splice.end] ?? span.end - 1,
    text: JSON.stringify(splice.text).slice(1, -1),
  }));
}

function readStrings(text: string): JsonString[] | null {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return jsonStrings(text);
  } catch {
    return null;
  }
}
