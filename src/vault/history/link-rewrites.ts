import { linkKey } from '../../note/path.ts';
import { decodeDestination, splitLinkText } from '../../note/markdown/link-text.ts';
import type { FieldChange, HistoryEvent } from '../../store/records/history-event.ts';

/** The agent name of roux itself, for link repairs after renames from outside. No client can use it. */
const ROUX = 'roux';

const LINK = /\[\[((?:(?!\[\[)[^\]])*)\]\]|\]\(((?:(?!\]\()[^)])*)\)/g;

/**
 * Tells which changes of one write only rewrote links because of a rename in the same write. The renames are taken from the events, not
 * from what an agent claims: a property that an agent sets from one link to another looks the same and must be reviewed.
 */
export class LinkRewrites {
  /** Link keys of renamed files: before, and after. */
  readonly #from = new Set<string>();
  readonly #to = new Set<string>();
  /** Link keys of notes whose bodies changed, and with them perhaps their headings. */
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

  /** Returns whether an event did nothing but rewrite links. */
  isLinkRewrite({ agent, action, changes }: HistoryEvent): boolean {
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
    // Either a longer path to the same file, because another file took its name, or another heading in it.
    return was.linkpath === is.linkpath ? was.subpath !== is.subpath && this.#bodies.has(from) : this.#to.has(from) || this.#from.has(from);
  }
}

/** Returns each changed link as [before, after]; null if anything besides links changed. */
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

/** A tampered history line may hold anything in place of a link. */
function asText(link: unknown): string {
  return typeof link === 'string' ? link : JSON.stringify(link);
}

/** Returns the target of a link without its display text. */
function targetOf(match: RegExpMatchArray | undefined): string {
  const [, wikilink, destination = ''] = match ?? [];
  return wikilink === undefined ? (decodeDestination(destination) ?? destination) : (wikilink.split('|')[0] ?? '');
}
