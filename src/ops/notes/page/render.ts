import type { GraphView } from '../../../graph/view.ts';
import { countLines } from '../../../note/text.ts';
import { decodeDestination, splitLinkText } from '../../../note/markdown/link-text.ts';
import type { Note } from '../../../note/note.ts';
import type { LinkTarget, RenderedNote, RenderJob, RenderSource } from '../../../render/job.ts';
import { openRenderThread } from '../../../render/worker/render-thread.ts';
import type { RenderThread } from '../../../render/worker/render-thread.ts';
import { cutAt } from '../../../render/body-range.ts';
import { escapeHtml, tokenizeHtml } from '../../../render/syntax/html-tokens.ts';
import type { Notes, Settings, Vault } from '../../../vault/vault.ts';

/** Limits of the embedded notes of a page: their number, depth and total length. */
const MAX_SOURCES = 60;
const MAX_DEPTH = 5;
const MAX_CHARACTERS = 2_000_000;
/** Distinct links of a note that are resolved. */
const MAX_LINKS = 10_000;
/** Length of a note that is shown as plain text because it could not be rendered. */
const MAX_PLAIN_CHARACTERS = 50_000;

/** What rendering needs of a vault. */
type RenderedFrom = Pick<Vault, 'derived'> & {
  readonly graph: Pick<GraphView, 'get' | 'resolve'>;
  readonly notes: Pick<Notes, 'readUnstable'>;
  readonly settings: Pick<Settings, 'obsidian'>;
};

const createThread = (): RenderThread => openRenderThread();

/** Renders a note as sanitised HTML, with embedded notes. What cannot be rendered in time is returned as plain text. */
export async function renderNote(
  vault: RenderedFrom,
  note: Note,
  options: Pick<RenderJob, 'subpath' | 'offset' | 'maxCharacters' | 'isPreview' | 'isPublished'>,
): Promise<RenderedNote> {
  const hasStrictLineBreaks = vault.settings.obsidian('app.json')['strictLineBreaks'] === true;
  const job: RenderJob = { path: note.path, sources: gatherSources(vault, note), hasStrictLineBreaks, ...options };
  try {
    return await vault.derived(createThread).render(job);
  } catch {
    const body = note.text.slice(note.bodyStart);
    const start = options.offset ?? 0;
    const end = cutAt(body, { start, end: body.length }, options.maxCharacters ?? MAX_PLAIN_CHARACTERS);
    if (options.isPublished === true) {
      const nextOffset = end < body.length ? end : null;
      return { html: '', outline: [], nextOffset, notices: ['A part of this note takes too long to render, so it is left out.'] };
    }
    return {
      html: `<pre tabindex="0">${escapeHtml(body.slice(start, end))}</pre>`,
      outline: [],
      nextOffset: end < body.length ? end : null,
      notices: ['Rendering this part as Markdown takes too long, so its source is shown.'],
    };
  }
}

/** Collects a note and the notes that are embedded in it, directly or indirectly. */
function gatherSources(vault: RenderedFrom, note: Note): ReadonlyMap<string, RenderSource> {
  const sources = new Map<string, RenderSource>();
  let left = MAX_CHARACTERS;
  let level: readonly Note[] = [note];
  for (let deep = 0; deep <= MAX_DEPTH && level.length > 0; deep += 1) {
    const next = new Set<string>();
    for (const each of level) {
      const source = toSource(vault, each);
      left -= source.body.length;
      sources.set(each.path, source);
      for (const link of each.links) {
        const meaning = link.kind === 'embed' ? source.links.get(splitLinkText(link.link).linkpath) : undefined;
        if (meaning?.kind === 'note' && !sources.has(meaning.path)) next.add(meaning.path);
      }
    }
    const paths = left < 0 ? [] : [...next].filter((path) => !sources.has(path)).slice(0, MAX_SOURCES - sources.size);
    level = paths.flatMap((path) => vault.notes.readUnstable(path)?.note ?? []);
  }
  return sources;
}

function toSource({ graph }: RenderedFrom, note: Note): RenderSource {
  const links = new Map<string, LinkTarget>();
  for (const { link } of note.links) {
    const { linkpath } = splitLinkText(link);
    if (linkpath === '' || links.has(linkpath) || links.size >= MAX_LINKS) continue;
    const target = graph.resolve({ linkpath, from: note.path });
    if (target.kind === 'note') links.set(linkpath, { kind: 'note', path: target.path, title: graph.get(target.path)?.title ?? linkpath });
    else links.set(linkpath, target.kind === 'attachment' ? { kind: 'attachment', path: target.path } : { kind: 'unresolved' });
  }
  for (const linkpath of sourcesInHtml(note.text.slice(note.bodyStart))) {
    const target = links.has(linkpath) || links.size >= MAX_LINKS ? null : graph.resolve({ linkpath, from: note.path });
    if (target?.kind === 'attachment') links.set(linkpath, { kind: 'attachment', path: target.path });
  }
  const bodyLine = countLines(note.text, 0, note.bodyStart);
  return { path: note.path, title: note.title, body: note.text.slice(note.bodyStart), bodyLine, links };
}

/** Returns the names of files in the `src` attributes of a text, which are no links of a note. */
function sourcesInHtml(body: string): readonly string[] {
  if (!/<(?:img|audio|video|source)\b/i.test(body)) return [];
  return tokenizeHtml(body).flatMap((token) => {
    const src = token.kind === 'open' ? decodeDestination(token.attributes.get('src') ?? '') : null;
    return src === null ? [] : [splitLinkText(src).linkpath];
  });
}
