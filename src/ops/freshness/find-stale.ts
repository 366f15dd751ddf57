import type { GraphView, NoteEntry } from '../../graph/view.ts';
import { infoOf, OBSERVATION_INFO, readObservationInfo } from '../../note/body/observation-properties.ts';
import { decodeObservation } from '../../note/body/observation.ts';
import { readBodySection } from '../../note/body/section.ts';
import { dayOf, isStale, readFreshness, STALE_AFTER } from '../../note/freshness.ts';
import type { Confirmation, Freshness } from '../../note/freshness.ts';
import { compareText } from '../../note/text.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ToolsetChecks } from '../operation.ts';

/** Something past its day, with who confirmed it last. */
export interface StaleItem {
  readonly kind: 'note' | 'observation' | 'fact';
  readonly path: string;
  /** The title of a note, else the text. */
  readonly text: string;
  /** Of a fact. */
  readonly uuid?: string;
  /** The day from which on it is stale. */
  readonly stale_after: string;
  readonly confirmed?: Confirmation;
  /** Present if a person is among those who confirmed it. */
  readonly confirmed_by_person?: true;
}

/** Finds the notes, observations and facts that are past their day, those of the earliest day first. */
export function findStale(vault: Vault, checks: readonly ToolsetChecks[]): readonly StaleItem[] {
  const today = dayOf(vault.ports.clock.now());
  const items = [...vault.graph.entries()].flatMap((entry) => [
    ...staleNote(vault, entry, today),
    ...staleObservations(vault, entry, today),
  ]);
  for (const check of checks)
    for (const { path, uuid, fact, freshness } of check.stale?.(today) ?? [])
      items.push({ kind: 'fact', path, text: fact, uuid, ...toDay(freshness) });
  return items.sort((a, b) => compareText(a.stale_after, b.stale_after) || compareText(a.path, b.path) || compareText(a.text, b.text));
}

/** Returns whether a note itself is past its day. Reads no frontmatter that has no such property. */
export function isStaleNote({ facets }: Pick<GraphView, 'facets'>, entry: NoteEntry, today: string): boolean {
  return facets.propertyOf(entry, STALE_AFTER) !== undefined && isStale(readFreshness(entry.properties), today);
}

function staleNote({ graph }: Vault, entry: NoteEntry, today: string): readonly StaleItem[] {
  if (!isStaleNote(graph, entry, today)) return [];
  const freshness = readFreshness(entry.properties);
  return [{ kind: 'note', path: entry.path, text: entry.title, ...toDay(freshness) }];
}

function staleObservations({ graph, notes }: Vault, entry: NoteEntry, today: string): readonly StaleItem[] {
  if (graph.facets.propertyOf(entry, OBSERVATION_INFO) === undefined) return [];
  const info = readObservationInfo(entry.properties);
  if (info === null || !JSON.stringify(info).includes(STALE_AFTER)) return [];
  const text = notes.readUnstable(entry.path)?.note.text ?? '';
  const observations = (readBodySection(text, 'Observations')?.entries ?? []).map(({ line }) => decodeObservation(line));
  return [...new Set(observations)].flatMap((observation): readonly StaleItem[] => {
    const freshness = readFreshness(infoOf(info, observation));
    return isStale(freshness, today) ? [{ kind: 'observation', path: entry.path, text: observation, ...toDay(freshness) }] : [];
  });
}

function toDay({ staleAfter, confirmed, isConfirmedByPerson }: Freshness): Omit<StaleItem, 'kind' | 'path' | 'text'> {
  return {
    stale_after: staleAfter ?? '',
    ...(confirmed === null ? {} : { confirmed }),
    ...(isConfirmedByPerson ? { confirmed_by_person: true } : {}),
  };
}
