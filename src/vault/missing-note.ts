import { RouxError } from '../errors.ts';
import { linkKey, foldKey, isNotePath } from '../note/path.ts';
import { HOW_TO_DOWNLOAD, WHY_ONLINE_ONLY } from '../store/folder/online-only.ts';
import { mergedInto } from './history/events.ts';
import type { HistoryEvent } from './plan/plan.ts';
import type { Vault } from './vault.ts';

/** Number of merges followed from one task to the next. */
const MAX_MERGES = 20;

/** Number of newest events examined: removals of edges and links are events of their own. */
const MAX_EXAMINED_EVENTS = 5;

const NOT_WRITTEN_HERE = 'A line of the history that was not written in this folder says:';

/** Returns the error for a reference to a note that is online-only and was never read here; null if it means none. */
export function onlineOnlyNote({ graph }: Pick<Vault, 'graph'>, name: string): RouxError | null {
  const path = graph.byKey(linkKey(name)).find((each) => isNotePath(each) && graph.isAttachment(each));
  if (path === undefined) return null;
  return new RouxError('IO_ERROR', `${path} is online-only, and was never read here: ${WHY_ONLINE_ONLY}. ${HOW_TO_DOWNLOAD}.`, { path });
}

/** Returns whether a name has the form of an id that tools give. */
export function isGivenId(name: string): boolean {
  return /^[a-z]{1,4}_[0-9a-z]{26}$/.test(name);
}

/** Returns whether a name looks like a path. */
export function isPathLike(name: string): boolean {
  return /\/|\.md$/i.test(name);
}

/**
 * Describes what happened to a missing note, by id or path, in a sentence that says what to do: which note it was merged into, or who
 * removed it and how to restore it. Returns null when a note has the name or the history does not know it. Paths are looked up in foreign
 * lines only, because own moves are followed anyway. Foreign lines are consulted only if no own line knows the id, and the answer says so.
 * Reads the history, so call it for failures only.
 */
export async function describeMissing(vault: Vault, name: string): Promise<string | null> {
  if (!isGivenId(name)) return describeForeignMove(vault, name);
  const own = await describeMissingId(vault, name, true);
  if (own !== null) return own;
  const claimed = await describeMissingId(vault, name, false);
  return claimed === null ? null : `${NOT_WRITTEN_HERE} ${claimed}`;
}

async function describeForeignMove(vault: Vault, path: string): Promise<string | null> {
  const wanted = foldKey(/\.md$/i.test(path) ? path : `${path}.md`);
  for (const [from, to] of (await vault.history.movedNotes()).foreign)
    if (foldKey(from) === wanted) return `${NOT_WRITTEN_HERE} it is ${to} now.`;
  return null;
}

async function describeMissingId(vault: Vault, id: string, isOwn: boolean): Promise<string | null> {
  let [now, merged] = [id, ''];
  for (let left = MAX_MERGES; left > 0; left -= 1) {
    const found = vault.graph.lookup(now);
    if (found.kind !== 'missing') {
      if (merged === '') return null;
      const place = found.kind === 'found' ? ` (${found.entry.path})` : '';
      return `It was merged into ${now}${place}${isOwn ? ': use that id' : ''}.`;
    }
    const { events } = await vault.history.ofNote({ node: now, limit: MAX_EXAMINED_EVENTS, withoutRecording: true, isOwn });
    // Events of notes merged into this one come under its own id later.
    const last = events.find((event) => event.node === now && (mergedInto(event) !== null || isRemoval(event)));
    const into = last === undefined ? null : mergedInto(last);
    if (into === null) {
      if (last === undefined) return merged === '' ? null : `It was merged into ${now}, which is gone too.`;
      return `It was ${merged === '' ? '' : `merged into ${now}, which was `}${describeRemoval(vault, last)}`;
    }
    merged = now = into;
  }
  return null;
}

function describeRemoval(vault: Vault, { path, agent, timestamp }: HistoryEvent): string {
  if (!vault.writes.trash().some((entry) => entry.path === path)) return `removed by ${agent} on ${timestamp} and is not in the trash.`;
  const command = `roux restore ${/^[\w./-]+$/.test(path) ? path : `'${path}'`}`;
  return `deleted by ${agent} on ${timestamp}; "${command}" brings it back.`;
}

function isRemoval({ action, changes }: HistoryEvent): boolean {
  return action === 'deleted' || changes.some(({ field, after }) => field === 'file' && after === null);
}
