import { linkKey } from '../../graph/links/resolve.ts';
import { decodeDestination, splitLinkText } from '../../note/markdown/link-text.ts';
import type { FieldChange, HistoryEvent } from '../../store/records/history-event.ts';

/** Under this name roux itself writes: it repairs links after renames from outside. No client can have it. */
const ROUX = 'roux';

/**
 * What one write renamed, by its events: whether a change that looks like a rewritten link is one. Nobody's word is taken for it: a
 * property that an agent sets from one link to another looks the same, and is to be reviewed.
 */
export class Renamed {
  /** Keys of links to what has another name now, and of its new names. */
  readonly #from = new Set<string>();
  readonly #to = new Set<string>();
  /** Keys of links to notes whose bodies changed: their headings may be called otherwise. */
  readonly #bodies = new Set<string>();

  constructor(events: readonly HistoryEvent[]) {
    const isMerge = events.some(({ action }) => action === 'merged');
    for (const { action, path, changes } of events) {
      if (action === 'merged') this.#from.add(linkKey(path));
      if (isMerge) this.#to.add(linkKey(path));
      for (const { field, before, after } of changes) {
        if (field === 'body') this.#bodies.add(linkKey(path));
        if (field !== 'path' || typeof before !== 'string' || typeof after !== 'string') continue;
        this.#from.add(linkKey(before));
        this.#to.add(linkKey(after));
      }
    }
  }

  /** Whether an event rewrote links and did nothing else. */
  isRelink({ agent, action, changes }: HistoryEvent): boolean {
    if (action !== 'updated' || changes.length === 0) return false;
    return changes.every((change) => {
      const pairs = rewrittenLinks(change);
      return pairs !== null && (agent === ROUX || pairs.every(([before, after]) => this.#explains(before, after)));
    });
  }

  #explains(before: string, after: string): boolean {
    const [was, is] = [splitLinkText(before), splitLinkText(after)];
    const [from, to] = [linkKey(was.linkpath), linkKey(is.linkpath)];
    if (from !== to) return this.#from.has(from) && this.#to.has(to);
    // The same file by a longer path, because another one has its name now; or another heading of it.
    return was.linkpath === is.linkpath ? was.subpath !== is.subpath && this.#bodies.has(from) : this.#to.has(from) || this.#from.has(from);
  }
}

/** The links that differ between two sides which differ in nothing else, each before and after; null where more is different. */
function rewrittenLinks({ field, before, after }: FieldChange): readonly (readonly [string, string])[] | null {
  if (before === null || after === null) return null;
  if (field === 'links' && Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    const pairs = before.map((link: unknown, at): readonly [string, string] => [asText(link), asText(after[at])]);
    if (!pairs.flat().some((link) => link.includes('[['))) return pairs;
  }
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  if (was.replaceAll(LINK, '[[]]') !== is.replaceAll(LINK, '[[]]')) return null;
  const links = [...was.matchAll(LINK)].map((match, at) => [match, at] as const);
  const others = [...is.matchAll(LINK)];
  return links.flatMap(([match, at]) => (match[0] === others[at]?.[0] ? [] : [[targetOf(match), targetOf(others[at])] as const]));
}

/** A planted line may hold anything in the place of a link. */
function asText(link: unknown): string {
  return typeof link === 'string' ? link : JSON.stringify(link);
}

const LINK = /\[\[((?:(?!\[\[)[^\]])*)\]\]|\]\(((?:(?!\]\()[^)])*)\)/g;

/** What a link leads to, without what it shows. */
function targetOf(match: RegExpMatchArray | undefined): string {
  const [, wikilink, destination = ''] = match ?? [];
  return wikilink === undefined ? (decodeDestination(destination) ?? destination) : (wikilink.split('|')[0] ?? '');
}
