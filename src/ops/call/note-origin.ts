import type { NoteEntry } from '../../graph/view.ts';
import { isLower, leastOrigin, originOf } from '../../note/origin.ts';
import type { Origin } from '../../note/origin.ts';
import { isWebAuthor } from '../../vault/history/web-author.ts';
import type { Vault } from '../../vault/vault.ts';

/** Names in the history of what people did, and of roux itself, which writes nothing of its own. */
const NOT_AGENTS: ReadonlySet<string> = new Set(['cli', 'external', 'roux']);

/** Maximum number of events of one note that are asked who wrote it. */
const MAX_EVENTS = 200;

/** Returns whether a name in the history is not that of an agent. */
export function isPersonName(name: string): boolean {
  return NOT_AGENTS.has(name) || isWebAuthor(name);
}

/** Returns the origin of a note as its properties tell it. Costs nothing; who changed it since is not looked up. */
export function statedOrigin({ properties }: Pick<NoteEntry, 'properties'>): Origin {
  return originOf(properties, isPersonName);
}

/** Returns the origin of a note by its properties, and by the history where these say nothing and roux has written to the note. */
export async function findOrigin({ history }: Pick<Vault, 'history'>, entry: NoteEntry): Promise<Origin> {
  const stated = statedOrigin(entry);
  if (stated !== 'person' || entry.properties['rev'] === undefined) return stated;
  const { events } = await history.ofNote({ node: entry.path, limit: MAX_EVENTS, withoutRecording: true });
  return leastOrigin('person', ...events.flatMap(({ agent }) => (isPersonName(agent) ? [] : (['agent'] as const))));
}

/** Returns the field of a list for the origin of a note, where it is less than an agent. */
export function showLowOrigin(entry: Pick<NoteEntry, 'properties'>): { readonly _origin?: Origin } {
  const origin = statedOrigin(entry);
  return isLower(origin, 'agent') ? { _origin: origin } : {};
}
