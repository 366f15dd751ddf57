import { valueAt } from './frontmatter/property-edit.ts';
import { isPropertyList, isPropertyMap } from './frontmatter/property-value.ts';
import { readIsoDate } from './iso-date.ts';
import type { Properties, PropertyValue } from './note.ts';

/** The properties of the Open Knowledge Format that say who confirmed something and until when it counts (docs/format.md, Freshness). */
export const VERIFIED = 'verified';
export const STALE_AFTER = 'stale_after';

/** A statement that something is still true. */
export interface Confirmation {
  /** `human:<id>`, `agent/<id>`, `process:<id>`, or `<program>/<version>` of other tools. */
  readonly by: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

/** What is written about how fresh a note, a fact or an observation is. */
export interface Freshness {
  readonly verified: readonly Confirmation[];
  /** The day, `YYYY-MM-DD`, from which on it is stale; null if there is none. */
  readonly staleAfter: string | null;
}

/** How fresh something is now. */
export interface JudgedFreshness {
  /** The newest confirmation; null if there is none. */
  readonly confirmed: Confirmation | null;
  /** Whether a person is among those who confirmed it. */
  readonly isConfirmedByPerson: boolean;
  /** The latest confirmation that is dated in the future and confirms nothing: else a vault could call itself fresh for ever. */
  readonly misdated: Confirmation | null;
}

/** Clocks and zones of machines differ by as much. */
const MAX_AHEAD_MS = 86_400_000;

/** Reads `verified` and `stale_after`. What cannot be read is a property of a person and has no effect. */
export function readFreshness(properties: Properties): Freshness {
  const [verified, staleAfter] = ([VERIFIED, STALE_AFTER] as const).map((name) => valueAt(properties, freshnessKey(properties, name)));
  return { verified: readConfirmations(verified), staleAfter: readDay(staleAfter) };
}

/** Returns where a note has, or gets, one of the two properties: tools put new properties of their own notes into the `properties` map. */
export function freshnessKey({ properties: map }: Properties, name: typeof VERIFIED | typeof STALE_AFTER): readonly string[] {
  return isPropertyMap(map) && Object.hasOwn(map, name) ? ['properties', name] : [name];
}

/** Judges the confirmations of something. `now`: milliseconds since 1970 UTC. */
export function judgeConfirmations({ verified }: Pick<Freshness, 'verified'>, now: number): JudgedFreshness {
  const past = verified.filter(({ at }) => !isFuture(Date.parse(at), now));
  return {
    confirmed: newestOf(past),
    isConfirmedByPerson: past.some(({ by }) => by.startsWith('human:')),
    misdated: newestOf(verified.filter((each) => !past.includes(each))),
  };
}

/** Returns whether a time has not come on any machine whose clock is about right. Both in milliseconds since 1970 UTC. */
export function isFuture(ms: number, now: number): boolean {
  return ms > now + MAX_AHEAD_MS;
}

function newestOf(confirmations: readonly Confirmation[]): Confirmation | null {
  return confirmations.reduce<Confirmation | null>(
    (last, each) => (last === null || Date.parse(each.at) > Date.parse(last.at) ? each : last),
    null,
  );
}

/** Returns whether the day from which on something is stale has come. `today`: `YYYY-MM-DD`. */
export function isStale({ staleAfter }: Pick<Freshness, 'staleAfter'>, today: string): boolean {
  return staleAfter !== null && staleAfter <= today;
}

/** Returns the day of a time in the zone of this machine, `YYYY-MM-DD`. `ms`: milliseconds since 1970 UTC. */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  const pad = (part: number, length: number): string => String(part).padStart(length, '0');
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`;
}

/** Reads the value of `verified`: a list of maps with `by` and `at`, or one such map. */
export function readConfirmations(value: PropertyValue | undefined): readonly Confirmation[] {
  const entries = isPropertyList(value) ? value : [value];
  return entries.flatMap((entry) => {
    if (!isPropertyMap(entry)) return [];
    const { by, at } = entry;
    const confirmation = typeof by === 'string' && typeof at === 'string' ? readConfirmation(by, at) : null;
    return confirmation === null ? [] : [confirmation];
  });
}

/** Returns a confirmation with its time in UTC; null without an actor, and for a time that does not exist. */
export function readConfirmation(by: string, at: string): Confirmation | null {
  const time = readIsoDate(at.trim().toUpperCase());
  return by.trim() === '' || time === null ? null : { by: by.trim(), at: new Date(time.ms).toISOString() };
}

/** Reads a day; of a time, its day as it is written. Returns null for everything else, such as a year. */
export function readDay(value: PropertyValue | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : '';
  return readIsoDate(text.toUpperCase()) === null ? null : text.slice(0, 10);
}

/**
 * Returns `verified` with a new confirmation, which takes the place of the earlier one of the same actor; all other entries stay. Returns
 * null if the value is a property of a person's own and cannot hold one.
 */
export function withConfirmation(verified: PropertyValue | undefined, { by, at }: Confirmation): PropertyValue | null {
  if (verified === undefined || verified === null) return [{ by, at }];
  if (isPropertyMap(verified)) return isOf(verified, by) ? { ...verified, by, at } : [verified, { by, at }];
  if (!isPropertyList(verified)) return null;
  const own = verified.findIndex((entry) => isOf(entry, by));
  return own < 0 ? [...verified, { by, at }] : verified.map((entry, index) => (index === own ? { ...(entry as object), by, at } : entry));
}

function isOf(entry: PropertyValue, by: string): boolean {
  return isPropertyMap(entry) && typeof entry['by'] === 'string' && isSameActor(entry['by'], by);
}

/** Returns whether two names are of one actor. All versions of a program are one. */
export function isSameActor(a: string, b: string): boolean {
  return producerOf(a) === producerOf(b);
}

function producerOf(actor: string): string {
  return /^(?:human:|process:|agent\/)/.test(actor) ? actor : actor.replace(/\/[^/]*$/, '');
}
