import type { Vault } from '../../../vault/vault.ts';
import { lineOf } from '../walk/links.ts';
import type { LinkLine } from '../walk/links.ts';
import type { Span } from '../../../note/note.ts';
import { shorten } from '../../shorten.ts';
import { plainLine } from './plain-line.ts';

/** A note that links to another one, with the lines of its links. */
export interface BacklinkSource {
  readonly path: string;
  readonly title: string;
  readonly lines: readonly LinkLine[];
  /** Properties that contain a link. */
  readonly properties: readonly string[];
  /** Number of lines that are left out. */
  readonly more?: number;
}

const MAX_LINES = 5;
/** Length of a line's excerpt around the link. */
const MAX_LINE_CHARACTERS = 300;

/** Returns the notes that link to a note, by path, from an offset on. Reads only those that are returned. */
export function backlinkSources(
  vault: Vault,
  path: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): { readonly sources: readonly BacklinkSource[]; readonly total: number } {
  const { graph } = vault;
  const all = [...new Set(graph.backlinks(path).map(({ from }) => from))].filter(
    (from) => from !== path && graph.get(from)?.isHidden === false,
  );
  const sources = all.slice(offset, offset + limit).map((from): BacklinkSource => {
    const note = vault.notes.readUnstable(from)?.note;
    const matching = [...graph.links(from).entries()].filter(([, { target }]) => target.kind !== 'unresolved' && target.path === path);
    const inBody = matching.filter(([, { property }]) => property === null);
    const lines = inBody.slice(0, MAX_LINES).flatMap(([at]) => {
      const span = note?.links[at];
      return note === undefined || span === undefined ? [] : [around(lineOf(note.text, span))];
    });
    const properties = [...new Set(matching.flatMap(([, { property }]) => (property === null ? [] : [property.replace(/\.\d+$/, '')])))];
    return {
      path: from,
      title: graph.get(from)?.title ?? from,
      lines,
      properties,
      ...(inBody.length > lines.length ? { more: inBody.length - lines.length } : {}),
    };
  });
  return { sources, total: all.length };
}

/** Returns a line as plain text; of a long one, the part around the link. */
export function around(line: LinkLine): LinkLine {
  const { text, mark } = plainLine(...cut(line));
  return { line: line.line, text, ...mark };
}

function cut({ text, start, end }: LinkLine): [text: string, mark: Span] {
  if (text.length <= MAX_LINE_CHARACTERS) return [text, { start, end }];
  const from = Math.floor(Math.max(0, Math.min(start - MAX_LINE_CHARACTERS / 3, text.length - MAX_LINE_CHARACTERS)));
  const lead = from === 0 ? '' : '…';
  const shown = shorten(lead + text.slice(from), MAX_LINE_CHARACTERS);
  const place = (at: number): number => Math.max(0, Math.min(shown.length, at - from + lead.length));
  return [shown, { start: place(start), end: place(end) }];
}
