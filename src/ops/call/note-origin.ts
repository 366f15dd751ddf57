import type { NoteEntry } from '../../graph/view.ts';
import { OBSERVATION_INFO } from '../../note/body/observation-properties.ts';
import { STALE_AFTER, VERIFIED } from '../../note/freshness.ts';
import { isLower, ORIGINS, originOf } from '../../note/origin.ts';
import type { Origin } from '../../note/origin.ts';
import { isWebAuthor } from '../../vault/history/web-author.ts';
import type { HistoryEvent } from '../../vault/plan/plan.ts';
import type { Vault } from '../../vault/vault.ts';

/** Names in the history of what people did, and of roux itself, which writes nothing of its own. */
const NOT_AGENTS: ReadonlySet<string> = new Set(['cli', 'external', 'roux']);

/** How much comes from whom. */
export type OriginCounts = Readonly<Partial<Record<Origin, number>>>;

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
  if (!isUntold(entry)) return statedOrigin(entry);
  const { events } = await history.ofNote({ node: entry.path, limit: MAX_EVENTS, withoutRecording: true });
  return originOfEvents(events);
}

/** Returns the origins of notes by their paths, like `findOrigin`, with one look through the history. */
export async function findOrigins(
  { history }: Pick<Vault, 'history'>,
  entries: readonly NoteEntry[],
): Promise<ReadonlyMap<string, Origin>> {
  const untold = entries.filter(isUntold).map(({ path }) => path);
  const told =
    untold.length === 0 ? new Map<string, readonly HistoryEvent[]>() : await history.ofNotes({ nodes: untold, limit: MAX_EVENTS });
  return new Map(entries.map((entry) => [entry.path, isUntold(entry) ? originOfEvents(told.get(entry.path) ?? []) : statedOrigin(entry)]));
}

/** Returns whether only the history can tell that an agent wrote to a note: roux has written to it, and its properties name nobody. */
function isUntold(entry: NoteEntry): boolean {
  return entry.properties['rev'] !== undefined && statedOrigin(entry) === 'person';
}

function originOfEvents(events: readonly Pick<HistoryEvent, 'agent' | 'changes'>[]): Origin {
  return events.every((event) => isPersonName(event.agent) || isConfirmation(event)) ? 'person' : 'agent';
}

const CONFIRMATION_FIELDS: ReadonlySet<string> = new Set([VERIFIED, STALE_AFTER, OBSERVATION_INFO]);

/** Returns whether an event only confirms what somebody else wrote. */
function isConfirmation({ changes }: Pick<HistoryEvent, 'changes'>): boolean {
  return changes.length > 0 && changes.every(({ field }) => CONFIRMATION_FIELDS.has(field));
}

/** Counts origins; those that do not occur are left out. */
export function countOrigins(origins: readonly Origin[]): OriginCounts {
  return Object.fromEntries(
    ORIGINS.flatMap((each) => {
      const count = origins.filter((origin) => origin === each).length;
      return count === 0 ? [] : [[each, count]];
    }),
  );
}

/** Returns the field of a list for the origin of a note, where it is less than an agent. */
export function showLowOrigin(entry: Pick<NoteEntry, 'properties'>): { readonly _origin?: Origin } {
  const origin = statedOrigin(entry);
  return isLower(origin, 'agent') ? { _origin: origin } : {};
}
