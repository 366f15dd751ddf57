import type { Note } from '../../../note/note.ts';
import { foldKey } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import { noteWith, parseNote } from '../../../note/parse.ts';
import type { OutlineItem } from '../../../render/job.ts';
import { withShownLinks } from '../../../vault/scope/published-facts.ts';
import type { PublishedView } from '../../../vault/scope/published-view.ts';
import { shorten } from '../../shorten.ts';
import { showProperties } from '../page/properties.ts';
import type { ShownProperty } from '../page/properties.ts';
import { renderNote } from '../page/render.ts';
import { dropBlocks, fillBlocks } from './blocks/fill-blocks.ts';
import { nameOf } from './blocks/link-html.ts';
import type { PublishedBlocks } from './blocks/published-blocks.ts';
import { readShownText } from './site-html.ts';
import type { ShownText, TextBlock } from './site-html.ts';

/** A published note as its page shows it, with the addresses of the live page. */
export interface RenderedPage {
  readonly note: Note;
  /** False for a base or canvas, which is in no graph. */
  readonly isNote: boolean;
  readonly html: string;
  readonly outline: readonly OutlineItem[];
  readonly properties: readonly ShownProperty[];
  readonly tags: readonly string[];
  readonly shown: ShownText;
  /** For search engines and previews elsewhere; '' for a note without text. */
  readonly description: string;
  /** What readers should know about the page. */
  readonly notices: readonly string[];
}

/** Names of notes that begin a folder, the first one in front. They say nothing as a title. */
export const HOME_NAMES: readonly string[] = ['index', 'readme', 'home'];
/** Parts of a long note, of 50,000 characters each. */
const MAX_PARTS = 40;
const MAX_DESCRIPTION_CHARACTERS = 200;
/** Properties that the page shows elsewhere, or that only search and links use. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['aliases', 'description', 'tags', 'title']);

/** Renders a published note; null if its file is gone. */
export async function renderPage(view: PublishedView, path: string, blocks: PublishedBlocks): Promise<RenderedPage | null> {
  const onDisk = view.notes.readUnstable(path);
  if (onDisk === null) return null;
  const { note } = onDisk;
  const [parts, outline, notices]: [string[], OutlineItem[], Set<string>] = [[], [], new Set()];
  let offset: number | null = 0;
  for (let part = 0; part < MAX_PARTS && offset !== null; part += 1) {
    const rendered = await renderNote(view, note, { offset, isPublished: true });
    parts.push(rendered.html);
    outline.push(...rendered.outline);
    rendered.notices.forEach((notice) => notices.add(notice));
    offset = rendered.nextOffset;
  }
  if (offset !== null || onDisk.isPartial) notices.add('This note is too long to be shown whole.');
  const html = parts.join('\n');
  // The rows of a base are no links of the note that shows it.
  const own = readShownText(dropBlocks(html));
  const filled = await fillBlocks(html, (block) => blocks.show(block));
  const whole = readShownText(filled);
  const shown = { ...own, files: whole.files, hasDiagrams: whole.hasDiagrams };
  const data = withShownLinks(note.frontmatter.data, path, view.graph);
  return {
    note: withOwnTitle(note, outline),
    isNote: true,
    html: filled,
    outline,
    properties: showProperties(view.graph, path, data).filter(({ key }) => !SHOWN_ELSEWHERE.has(key)),
    tags: uniqueTags([...parseNote(note.path, note.text.slice(0, note.bodyStart)).tags, ...shown.tags]),
    shown,
    description: describe(data['description'], shown.blocks),
    notices: [...notices],
  };
}

/** Renders a base or canvas as a page of its own. */
export async function renderFile(path: string, blocks: PublishedBlocks): Promise<RenderedPage> {
  const html = await blocks.page(path);
  return {
    note: noteWith(parseNote(path as NotePath, ''), { title: nameOf(path) }),
    isNote: false,
    html,
    outline: [],
    properties: [],
    tags: [],
    shown: { ...readShownText(html), notes: new Set(), tags: new Set() },
    description: '',
    notices: [],
  };
}

/** Gives a note with a usual name, such as README, the title that its text begins with. */
function withOwnTitle(note: Note, [first]: readonly OutlineItem[]): Note {
  const isNamed = !HOME_NAMES.includes(foldKey(note.title));
  return isNamed || first === undefined || first.level !== 1 || first.text === '' ? note : noteWith(note, { title: first.text });
}

function uniqueTags(tags: readonly string[]): readonly string[] {
  return [...new Map(tags.toReversed().map((tag) => [tag.toLowerCase(), tag] as const)).values()].toReversed();
}

function describe(given: unknown, blocks: readonly TextBlock[]): string {
  const text = typeof given === 'string' && given.trim() !== '' ? given : (blocks.find(({ isHeading }) => !isHeading)?.text ?? '');
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), MAX_DESCRIPTION_CHARACTERS);
}
