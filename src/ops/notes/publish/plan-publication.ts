import type { NoteEntry } from '../../../graph/view.ts';
import { splitLinkText } from '../../../note/markdown/link-text.ts';
import { isInert } from '../../../note/media.ts';
import { extensionOf } from '../../../note/path.ts';
import type { LinkText } from '../../../note/note.ts';
import { isPageFile } from '../../../render/syntax/live-blocks.ts';
import { textOf } from '../../../vault/read-files.ts';
import { publishedView } from '../../../vault/scope/published-view.ts';
import type { Published, PublishedView } from '../../../vault/scope/published-view.ts';
import type { Vault } from '../../../vault/vault.ts';
import { cardNote, readCards } from './blocks/show-canvas.ts';
import { isPassiveSvg } from './passive-svg.ts';
import type { Selection } from './select-notes.ts';

/** What would be published, and what would be missing. */
export interface PublishReport {
  readonly notes: readonly { readonly path: string; readonly title: string }[];
  readonly attachments: readonly string[];
  /** Bases and canvases that have a page of their own. */
  readonly pages: readonly string[];
  /** Keys of the published properties that notes have, and those that stay behind with the number of notes that have them. */
  readonly properties: readonly string[];
  readonly properties_left: readonly { readonly key: string; readonly notes: number }[];
  /** Links and embeds of notes that are not published. */
  readonly links_left: readonly { readonly from: string; readonly to: string }[];
  readonly embeds_left: readonly { readonly from: string; readonly to: string }[];
  /** Attachments that published notes use and that are not published. */
  readonly attachments_left: readonly { readonly from: string; readonly path: string; readonly reason: string }[];
  readonly notes_left: Selection['left'];
  /** Bases and canvases that have a mistake, which is known once the site is made. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Works out what belongs to the chosen notes: attachments, properties, and links that lead nowhere on the site. Returns the view of it all,
 * for which each note is read and parsed.
 */
export function planPublication(
  vault: Vault,
  selection: Selection,
  hasProperty: (key: string) => boolean,
): { readonly view: PublishedView; readonly published: Published; readonly report: PublishReport } {
  const notes = new Set<string>(selection.notes.map(({ path }) => path));
  const attachments = new Set<string>();
  // The view has the attachments that are found below.
  const published = { notes, attachments, pages: new Set(selection.pages), hasProperty };
  const view = publishedView(vault, published);
  const found = new Found();
  const canvases = selection.pages.filter((path) => extensionOf(path) === 'canvas');
  for (const path of [...selection.notes.map((note) => note.path), ...canvases]) {
    for (const { link, kind, form } of view.notes.readUnstable(path)?.note.links ?? linksOfCanvas(vault, path)) {
      const { linkpath } = splitLinkText(link);
      if (linkpath === '') continue;
      const target = vault.graph.resolve({ linkpath, from: path });
      if (target.kind === 'note' && !notes.has(target.path)) found.leftNote(path, target.path, kind === 'embed' && form !== 'reference');
      if (target.kind !== 'attachment' || attachments.has(target.path) || published.pages.has(target.path)) continue;
      const reason = whyLeft(vault, target.path);
      if (reason === null) attachments.add(target.path);
      else found.leftAttachment(path, target.path, reason);
    }
  }
  return {
    view,
    published,
    report: {
      notes: selection.notes.map(({ path, title }) => ({ path, title: view.graph.get(path)?.title ?? title })),
      attachments: [...attachments].sort(),
      pages: selection.pages,
      ...sortProperties(selection.notes, hasProperty),
      links_left: found.links,
      embeds_left: found.embeds,
      attachments_left: found.attachments,
      notes_left: selection.left,
      problems: [],
    },
  };
}

/** Returns the links of a canvas: of its cards that show a file, and those in its texts. */
function linksOfCanvas(vault: Vault, path: string): readonly LinkText[] {
  const { nodes } = readCards(textOf(vault.notes.readAttachment(path)) ?? '') ?? { nodes: [] };
  return nodes.flatMap((node): readonly LinkText[] => {
    if (node.kind === 'file') return [{ link: `/${node.file}`, kind: 'embed', form: 'wikilink' }];
    return node.kind === 'text' ? cardNote(path, node.text).links : [];
  });
}

/** Collects what is left out, once for each pair of a note and what it leads to. */
class Found {
  readonly links: { from: string; to: string }[] = [];
  readonly embeds: { from: string; to: string }[] = [];
  readonly attachments: { from: string; path: string; reason: string }[] = [];
  readonly #seen = new Set<string>();

  leftNote(from: string, to: string, isEmbed: boolean): void {
    if (this.#isNew(from, to, isEmbed)) (isEmbed ? this.embeds : this.links).push({ from, to });
  }

  leftAttachment(from: string, path: string, reason: string): void {
    if (this.#isNew(from, path, false)) this.attachments.push({ from, path, reason });
  }

  #isNew(...parts: readonly unknown[]): boolean {
    const key = JSON.stringify(parts);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

/** Returns why an attachment is not published; null if it is. Only what no browser runs is published, and nothing that names other notes. */
function whyLeft(vault: Vault, path: string): string | null {
  const extension = extensionOf(path);
  if (isPageFile(path)) return 'its folder is not chosen';
  if (extension !== 'txt' && !isInert(extension)) return 'files of this type may hold programs';
  if (extension !== 'svg') return null;
  const bytes = vault.notes.readAttachment(path);
  return bytes !== null && isPassiveSvg(bytes) ? null : 'the picture holds a script, or parts that may hold one';
}

function sortProperties(
  notes: readonly NoteEntry[],
  hasProperty: (key: string) => boolean,
): Pick<PublishReport, 'properties' | 'properties_left'> {
  const counts = new Map<string, number>();
  for (const { properties } of notes) for (const key of Object.keys(properties)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const keys = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    properties: keys.flatMap(([key]) => (hasProperty(key) ? [key] : [])),
    properties_left: keys.flatMap(([key, count]) => (hasProperty(key) ? [] : [{ key, notes: count }])),
  };
}
