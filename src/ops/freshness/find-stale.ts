import type { GraphView, NoteEntry } from '../../graph/view.ts';
import { infoOf, OBSERVATION_INFO, readObservationInfo } from '../../note/body/observation-properties.ts';
import { decodeObservation } from '../../note/body/observation.ts';
import { readBodySection } from '../../note/body/section.ts';
import { isPropertyMap } from '../../note/frontmatter/property-value.ts';
import { dayOf, isStale, judgeConfirmations, readFreshness, STALE_AFTER, VERIFIED } from '../../note/freshness.ts';
import type { Confirmation, Freshness } from '../../note/freshness.ts';
import { compareText } from '../../note/text.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ToolsetChecks } from '../operation.ts';

/** Something past its day, or with a confirmation that counts for nothing, and who confirmed it last. */
export interface StaleItem {
  readonly kind: 'note' | 'observation' | 'fact';
  readonly path: string;
  /** The title of a note, else the text. */
  readonly text: string;
  /** Of a fact. */
  readonly uuid?: string;
  /** The day from which on it is stale; absent if that has not come. */
  readonly stale_after?: string;
  readonly confirmed?: Confirmation;
  /** Present if a person is among those who confirmed it. */
  readonly confirmed_by_person?: true;
  /** The latest confirmation that is dated in the future. */
  readonly misdated?: Confirmation;
}

/** Finds the notes, observations and facts that are past their day, those of the earliest day first, then those confirmed in the future. */
export function findStale(vault: Vault, checks: readonly ToolsetChecks[]): readonly StaleItem[] {
  const now = vault.ports.clock.now();
  const items = [...vault.graph.entries()].flatMap((entry) => [...staleNote(vault, entry, now), ...staleObservations(vault, entry, now)]);
  for (const check of checks)
    for (const { path, uuid, fact, freshness } of check.datedFacts?.() ?? []) {
      const judged = judge(freshness, now);
      if (judged !== null) items.push({ kind: 'fact', path, text: fact, uuid, ...judged });
    }
  return items.sort((a, b) => compareText(dayFrom(a), dayFrom(b)) || compareText(a.path, b.path) || compareText(a.text, b.text));
}

function dayFrom({ stale_after: day = '~' }: StaleItem): string {
  return day;
}

/** Returns whether a note itself is past its day. Reads no frontmatter that has no such property. */
export function isStaleNote({ facets }: Pick<GraphView, 'facets'>, entry: NoteEntry, today: string): boolean {
  return facets.propertyOf(entry, STALE_AFTER) !== undefined && isStale(readFreshness(entry.properties), today);
}

function staleNote({ graph: { facets } }: Vault, entry: NoteEntry, now: number): readonly StaleItem[] {
  if ([STALE_AFTER, VERIFIED].every((name) => facets.propertyOf(entry, name) === undefined)) return [];
  const judged = judge(readFreshness(entry.properties), now);
  return judged === null ? [] : [{ kind: 'note', path: entry.path, text: entry.title, ...judged }];
}

function staleObservations({ graph, notes }: Vault, entry: NoteEntry, now: number): readonly StaleItem[] {
  if (graph.facets.propertyOf(entry, OBSERVATION_INFO) === undefined) return [];
  const info = readObservationInfo(entry.properties);
  if (info === null || !Object.values(info).some((each) => isPropertyMap(each) && judge(readFreshness(each), now) !== null)) return [];
  const text = notes.readUnstable(entry.path)?.note.text ?? '';
  const observations = (readBodySection(text, 'Observations')?.entries ?? []).map(({ line }) => decodeObservation(line));
  return [...new Set(observations)].flatMap((observation): readonly StaleItem[] => {
    const judged = judge(readFreshness(infoOf(info, observation)), now);
    return judged === null ? [] : [{ kind: 'observation', path: entry.path, text: observation, ...judged }];
  });
}

/** Returns what is to be said about how fresh something is; null if that is nothing. */
function judge(freshness: Freshness, now: number): Omit<StaleItem, 'kind' | 'path' | 'text'> | null {
  const { confirmed, isConfirmedByPerson, misdated } = judgeConfirmations(freshness, now);
  const isPastItsDay = isStale(freshness, dayOf(now));
  if (!isPastItsDay && misdated === null) return null;
  return {
    ...(isPastItsDay && freshness.staleAfter !== null ? { stale_after: freshness.staleAfter } : {}),
    ...(confirmed === null ? {} : { confirmed }),
    ...(isConfirmedByPerson ? { confirmed_by_person: true } : {}),
    ...(misdated === null ? {} : { misdated }),
  };
}
