import rehypeHighlight from 'rehype-highlight';
import rehypeSanitize from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { countLines } from '../note/text.ts';
import { parseMarkdown } from '../note/markdown/markdown-tree.ts';
import { scan } from '../note/markdown/scan.ts';
import { finishHtml, withoutIds } from './finish.ts';
import type { OutlineItem, RenderedNote, RenderJob, RenderSource } from './job.ts';
import { sanitizeSchema } from './sanitize-schema.ts';
import { cutAt, findSubpath } from './body-range.ts';
import { markAnchors } from './syntax/anchors.ts';
import { markCallouts } from './syntax/callouts.ts';
import { dropComments } from './syntax/comments.ts';
import { foldHtml, rawHandler } from './syntax/html.ts';
import { liftFootnotes, markEscapes, markInline } from './syntax/inline-text.ts';
import { encodePath, markLinks } from './syntax/links.ts';
import { markLiveCode } from './syntax/live-blocks.ts';
import { markMath } from './syntax/math.ts';
import { dropQueries } from './syntax/queries.ts';
import { markTasks } from './syntax/tasks.ts';
import { element, markdownElement, text } from './tree.ts';
import type { TreeNode } from './tree.ts';

const MAX_PART_CHARACTERS = 50_000;
/** Limits of nested embeds, of embeds in a note, and of their characters in all. */
const MAX_DEPTH = 5;
const MAX_EMBEDS = 60;
const MAX_EMBEDDED_CHARACTERS = 150_000;
/** Notes with more code than this are not highlighted. */
const MAX_CODE_CHARACTERS = 60_000;
/** About half a second. */
const MAX_EMPHASIS_STEPS = 4_000_000;

/** Type of a node with finished HTML, which transforms must not change. */
const RENDERED = 'roux-shown';

/**
 * Renders a note as sanitized HTML, in the way of Obsidian. The time is linear in the length of the text: parts that are too large or too
 * nested for the parser are shown as plain text.
 */
export function renderNote(job: RenderJob): RenderedNote {
  const source = job.sources.get(job.path);
  if (source === undefined) return { html: '', outline: [], nextOffset: null, notices: [] };
  const { body } = source;
  const notices: string[] = [];
  const named = job.subpath === undefined ? null : findSubpath(body, job.subpath);
  const whole = named ?? { start: Math.min(job.offset ?? 0, body.length), end: body.length };
  const end = cutAt(body, whole, job.maxCharacters ?? MAX_PART_CHARACTERS);
  const markdownText = body.slice(whole.start, end);
  const firstLine = source.bodyLine + countLines(body, 0, whole.start);
  const rendering: Rendering = { job, notices, open: [job.path], embeds: 0, embedded: 0 };
  const { tree, outline } = toHtml(markdownText, source, rendering, job.isPreview === true ? null : firstLine);
  unfold(tree);
  return { html: stringify(tree), outline, nextOffset: end < whole.end ? end : null, notices: [...new Set(notices)] };
}

/** The state of a rendering, shared by its embeds. */
interface Rendering {
  readonly job: RenderJob;
  readonly notices: string[];
  /** The notes that are being rendered, the outermost first. */
  readonly open: readonly string[];
  embeds: number;
  embedded: number;
}

interface Shown {
  readonly tree: TreeNode;
  readonly outline: readonly OutlineItem[];
}

/** `firstLine` is the line of the file at which the text begins, or null in an embed or preview. */
function toHtml(markdownText: string, source: RenderSource, rendering: Rendering, firstLine: number | null): Shown {
  const limit = scan(markdownText).limit ?? (emphasisCost(markdownText) > MAX_EMPHASIS_STEPS ? 'too-nested' : null);
  if (limit !== null) {
    rendering.notices.push(
      limit === 'too-nested'
        ? 'A part is nested too deeply, so it is shown as plain text.'
        : 'A part is too long, so it is shown as plain text.',
    );
    return { tree: plain(markdownText, rendering), outline: [] };
  }
  try {
    return parse(markdownText, source, rendering, firstLine);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Stack overflow, by nesting that the scanner does not count.
    rendering.notices.push('A part is nested too deeply, so it is shown as plain text.');
    return { tree: plain(markdownText, rendering), outline: [] };
  }
}

/** Estimates the parser's steps for emphasis, which are quadratic in the number of delimiter runs in a block. */
function emphasisCost(markdownText: string): number {
  let [cost, runs] = [0, 0];
  for (const line of markdownText.split('\n')) {
    if (/^\s*(?:$|[-*+][ \t]|#{1,6}[ \t]|\|)/.test(line)) {
      cost += runs * runs;
      runs = 0;
    }
    runs += line.match(/[*_~]+/g)?.length ?? 0;
  }
  return cost + runs * runs;
}

function parse(body: string, source: RenderSource, rendering: Rendering, firstLine: number | null): Shown {
  const isPublished = rendering.job.isPublished === true;
  // The leading line break prevents the body's beginning from being parsed as frontmatter.
  const markdownText = `\n${body.replaceAll('\0', '\uFFFD')}`;
  const markdown = parseMarkdown(markdownText) as unknown as TreeNode;
  if (isPublished) dropQueries(markdown);
  markTasks(markdown, markdownText, firstLine === null ? null : firstLine - 1);
  markEscapes(markdown, markdownText);
  markMath(markdown, markdownText);
  dropComments(markdown);
  markLinks(markdown, { source, markdownText, showEmbed: (path, subpath) => showEmbed(path, subpath, rendering), isPublished });
  markLiveCode(markdown, source.path);
  liftFootnotes(markdown);
  markCallouts(markdown);
  const outline = markAnchors(markdown);
  markInline(markdown, { keepsLineEnds: rendering.job.hasStrictLineBreaks === true });
  const html = unified()
    .use(remarkRehype, {
      clobberPrefix: '',
      handlers: { html: rawHandler as never, [RENDERED]: (_: unknown, node: TreeNode) => node as never },
    })
    .runSync(markdown as never) as unknown as TreeNode;
  foldHtml(html, source);
  finishHtml(html);
  if (firstLine !== null) return { tree: html, outline };
  withoutIds(html);
  return { tree: html, outline: [] };
}

/** Renders an embedded note, heading or block. Returns null if it is to be shown as a link. */
function showEmbed(path: string, subpath: string, rendering: Rendering): TreeNode | null {
  const source = rendering.job.sources.get(path);
  if (source === undefined) return null;
  const { open } = rendering;
  if (open.includes(path) && subpath === '') return noticeFrame(source, 'This note embeds itself, so it is not repeated here.');
  if (open.length > MAX_DEPTH) return noticeFrame(source, 'This embed is nested too deeply to be shown.');
  if (rendering.embeds >= MAX_EMBEDS || rendering.embedded >= MAX_EMBEDDED_CHARACTERS)
    return noticeFrame(source, 'This note has too many embeds to show them all.');
  if (open.filter((each) => each === path).length > 1) return noticeFrame(source, 'This note embeds itself, so it is not repeated here.');
  const range = findSubpath(source.body, subpath);
  if (range === null) return noticeFrame(source, `This note has no heading or block ${subpath}.`);
  const end = cutAt(
    source.body,
    range,
    Math.min(rendering.job.maxCharacters ?? MAX_PART_CHARACTERS, MAX_EMBEDDED_CHARACTERS - rendering.embedded),
  );
  rendering.embeds += 1;
  rendering.embedded += end - range.start;
  const inner: Rendering = { ...rendering, open: [...open, path] };
  const { tree } = toHtml(source.body.slice(range.start, end), source, inner, null);
  rendering.embeds = inner.embeds;
  rendering.embedded = inner.embedded;
  const rest = end < range.end ? [notice('Open the note to read the rest.')] : [];
  const [, heading = ''] = /^\s*# ([^\n]*)/.exec(source.body.slice(range.start, end)) ?? [];
  const hasOwnTitle = subpath === '' && heading.trim() === source.title;
  return frame(source, subpath, [{ type: RENDERED, done: [...(tree.children ?? []), ...rest] }], hasOwnTitle);
}

/** Replaces nodes of finished HTML by their content. */
function unfold(node: TreeNode): void {
  if (node.children === undefined) return;
  node.children = node.children.flatMap((child) => (child.type === RENDERED ? (child.done ?? []) : [child]));
  for (const child of node.children) unfold(child);
}

function noticeFrame(source: RenderSource, message: string): TreeNode {
  return frame(source, '', [{ type: RENDERED, done: [notice(message)] }]);
}

function notice(message: string): TreeNode {
  return element('p', { className: ['notice'] }, [text(message)]);
}

/** Puts a link to the note above its embedded text. With `hasOwnTitle`, the heading that repeats the title is not shown. */
function frame({ path, title }: RenderSource, subpath: string, children: TreeNode[], hasOwnTitle = false): TreeNode {
  const name = subpath === '' || subpath.startsWith('#^') ? title : `${title} ${subpath.replaceAll('#', ' > ').trim()}`;
  const hash = subpath === '' ? '' : `#${encodeURIComponent(subpath.slice(subpath.lastIndexOf('#') + 1))}`;
  const link = markdownElement('a', { href: `/note/${encodePath(path)}${hash}`, dataNote: path }, [text(name)]);
  return markdownElement('div', { className: ['embed'] }, [
    markdownElement('p', { className: ['embed-title'] }, [link]),
    markdownElement('div', { className: hasOwnTitle ? ['embed-body', 'without-title'] : ['embed-body'] }, children),
  ]);
}

/** Returns unparsed text in a `<pre>`; nothing if it would be published, as it may hold comments. */
function plain(markdownText: string, { job }: Rendering): TreeNode {
  if (job.isPublished === true)
    return { type: 'root', children: [element('p', { className: ['notice'] }, [text('A part of this note cannot be shown.')])] };
  return { type: 'root', children: [element('pre', { tabIndex: 0 }, [text(markdownText)])] };
}

const sanitizer = unified().use(rehypeSanitize, sanitizeSchema);
const highlighter = unified().use(rehypeHighlight);
const printer = unified().use(rehypeStringify, { allowDangerousHtml: false, characterReferences: { omitOptionalSemicolons: false } });

/** Sanitizes, highlights and prints the HTML. Every rendering ends here; only class names of the highlighter are added after sanitizing. */
function stringify(tree: TreeNode): string {
  const clean = sanitizer.runSync(tree as never);
  const highlighted = codeIn(clean as unknown as TreeNode) > MAX_CODE_CHARACTERS ? clean : highlighter.runSync(clean as never);
  return printer.stringify(highlighted as never);
}

function codeIn(node: TreeNode): number {
  if (node.tagName === 'code') return (node.children ?? []).reduce((sum, { value = '' }) => sum + value.length, 0);
  return (node.children ?? []).reduce((sum, child) => sum + codeIn(child), 0);
}
