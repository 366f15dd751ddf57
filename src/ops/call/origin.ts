import * as z from 'zod';
import type { NoteEntry } from '../../graph/view.ts';
import { isLower, ORIGINS, originOf } from '../../note/origin.ts';
import type { Origin } from '../../note/origin.ts';
import { isWebAuthor } from '../../vault/history/web-author.ts';
import type { Vault } from '../../vault/vault.ts';

/** The origin of a text that a call brings. `person` is for people alone, so it is not in the list of tools. */
export const originInput = z
  .enum(ORIGINS)
  .optional()
  .describe('web: from a page you fetched')
  .meta({ unlisted: ['person'] });

/** The property in which an origin is written down. */
export const ORIGIN = 'origin';

/** Names in the history of what people did, and of roux itself, which writes nothing of its own. */
const NOT_AGENTS: ReadonlySet<string> = new Set(['cli', 'external', 'roux']);

/** How much comes from whom. */
export type OriginCounts = Readonly<Partial<Record<Origin, number>>>;

/** Returns whether a name in the history is not that of an agent. */
export function isPersonName(name: string): boolean {
  return NOT_AGENTS.has(name) || isWebAuthor(name);
}

/** Returns the origin of a note as its properties tell it. Costs nothing; who changed it since is not looked up. */
export function statedOrigin({ properties }: Pick<NoteEntry, 'properties'>): Origin {
  return originOf(properties, isPersonName);
}

/** Returns the origin of a note by its properties, and by the history where these say nothing: by who wrote its text. */
export async function findOrigin(vault: Pick<Vault, 'history'>, entry: NoteEntry): Promise<Origin> {
  return (await findOrigins(vault, [entry])).get(entry.path) ?? 'person';
}

/** Returns the origins of notes by their paths, like `findOrigin`. */
export async function findOrigins(
  { history }: Pick<Vault, 'history'>,
  entries: readonly NoteEntry[],
): Promise<ReadonlyMap<string, Origin>> {
  const stated = new Map(entries.map((entry) => [entry.path, statedOrigin(entry)]));
  const untold = [...stated].flatMap(([path, origin]) => (origin === 'person' ? [path] : []));
  const authors = untold.length === 0 ? new Map<string, readonly string[]>() : await history.authorsOf(untold);
  return new Map([...stated].map(([path, origin]) => [path, authors.get(path)?.every(isPersonName) === false ? 'agent' : origin]));
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

/** Returns the origin of what the caller itself writes. */
export function originOfCaller({ readLog }: { readonly readLog: object | null }): Origin {
  // People see the files, so nothing is recorded of what they read.
  return readLog === null ? 'person' : 'agent';
}

/**
 * Returns the origin to write down for a text; null if it is none less trusted than what the note tells already. A client that claims to be
 * a person is an agent.
 */
export function originToWrite(
  context: { readonly readLog: object | null; warn(text: string): void },
  given: Origin | undefined,
  stated: Origin,
): Origin | null {
  if (given === undefined) return null;
  const own = originOfCaller(context);
  if (isLower(own, given)) context.warn(`origin: "${given}" was taken as "${own}", which is what you are; it can only be lowered.`);
  const origin = isLower(own, given) ? own : given;
  return isLower(origin, stated) ? origin : null;
}
