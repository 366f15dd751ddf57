import { foldKey } from '../note/path.ts';
import type { HistoryEvent } from './plan/plan.ts';
import type { Vault } from './vault.ts';

/** So many merges are followed from one task into the next. */
const MAX_MERGES = 20;

/** The newest events that are looked through for what became of a note: edges and links are taken back in events of their own. */
const NEWEST = 5;

const NOT_WRITTEN_HERE = 'A line of the history that was not written in this folder says:';

/** Whether a name has the form of the ids that tools give. */
export function isGivenId(name: string): boolean {
  return /^[a-z]{1,4}_[0-9a-z]{26}$/.test(name);
}

/** Tells whether a name has the form of a path. */
export function isPathLike(name: string): boolean {
  return /\/|\.md$/i.test(name);
}

/**
 * Returns what became of the note that had an id or a path, in a sentence that says what to do: merged into which, or removed by whom and how
 * it comes back; of a path only where foreign lines say it is now, as own ones are followed. Null where a note has the name, or the history
 * does not know it. Foreign lines are asked where no own one tells, and named as what they are. Reads the history, so it is for failures only.
 */
export async function fateOf(vault: Vault, name: string): Promise<string | null> {
  if (!isGivenId(name)) return claimedPlace(vault, name);
  const own = await fateOfId(vault, name, true);
  if (own !== null) return own;
  const claimed = await fateOfId(vault, name, false);
  return claimed === null ? null : `${NOT_WRITTEN_HERE} ${claimed}`;
}

async function claimedPlace(vault: Vault, path: string): Promise<string | null> {
  const wanted = foldKey(/\.md$/i.test(path) ? path : `${path}.md`);
  for (const [from, to] of (await vault.movedNotes()).foreign) if (foldKey(from) === wanted) return `${NOT_WRITTEN_HERE} it is ${to} now.`;
  return null;
}

async function fateOfId(vault: Vault, id: string, isOwn: boolean): Promise<string | null> {
  let [now, merged] = [id, ''];
  for (let left = MAX_MERGES; left > 0; left -= 1) {
    const found = vault.graph.lookup(now);
    if (found.kind !== 'missing') {
      if (merged === '') return null;
      const place = found.kind === 'found' ? ` (${found.entry.path})` : '';
      return `It was merged into ${now}${place}${isOwn ? ': use that id' : ''}.`;
    }
    const { events } = await vault.history({ node: now, limit: NEWEST, isGlance: true, isOwn });
    // What was merged into it has a trail that goes on in its own.
    const last = events.find((event) => event.node === now && (mergedInto(event) !== null || isRemoval(event)));
    const into = last === undefined ? null : mergedInto(last);
    if (into === null) {
      if (last === undefined) return merged === '' ? null : `It was merged into ${now}, which is gone too.`;
      return `It was ${merged === '' ? '' : `merged into ${now}, which was `}${tellRemoval(vault, last)}`;
    }
    merged = now = into;
  }
  return null;
}

function mergedInto({ changes }: HistoryEvent): string | null {
  const target = changes.find(({ field }) => field === 'merged_into')?.after;
  return typeof target === 'string' ? target : null;
}

function tellRemoval(vault: Vault, { path, agent, timestamp }: HistoryEvent): string {
  if (!vault.trash().some((entry) => entry.path === path)) return `removed by ${agent} on ${timestamp} and lies in no trash.`;
  const command = `roux restore ${/^[\w./-]+$/.test(path) ? path : `'${path}'`}`;
  return `deleted by ${agent} on ${timestamp}; "${command}" brings it back.`;
}

function isRemoval({ action, changes }: HistoryEvent): boolean {
  return action === 'deleted' || changes.some(({ field, after }) => field === 'file' && after === null);
}
