import type { HistoryEvent } from './plan/plan.ts';
import type { Vault } from './vault.ts';

/** So many merges are followed from one task into the next. */
const MAX_MERGES = 20;

/** The newest events that are looked through for what became of a note: edges and links are taken back in events of their own. */
const NEWEST = 5;

/** Whether a name has the form of the ids that tools give. */
export function isGivenId(name: string): boolean {
  return /^[a-z]{1,4}_[0-9a-z]{26}$/.test(name);
}

/**
 * What became of the note that had an id, in a sentence that says what to do: merged into which, or removed by whom and how it
 * comes back. Null where a note has the id, or the history does not know it. Reads the history, so it is for failures only.
 */
export async function fateOf(vault: Vault, id: string): Promise<string | null> {
  let [now, merged] = [id, ''];
  for (let left = MAX_MERGES; left > 0; left -= 1) {
    const found = vault.graph.lookup(now);
    if (found.kind !== 'missing') {
      if (merged === '') return null;
      const place = found.kind === 'found' ? ` (${found.entry.path})` : '';
      return `It was merged into ${now}${place}: use that id.`;
    }
    const { events } = await vault.history({ node: now, limit: NEWEST, isGlance: true });
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
