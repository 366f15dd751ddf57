import type { NoteEntry } from '../../graph/view.ts';
import { OBSERVATION_INFO, readObservationInfo } from '../../note/body/observation-properties.ts';
import { isPropertyMap } from '../../note/frontmatter/property-value.ts';
import { dayOf, isStale, readFreshness } from '../../note/freshness.ts';
import { compareText } from '../../note/text.ts';
import type { Vault } from '../../vault/vault.ts';
import { isStaleNote } from './find-stale.ts';
import type { PrimeList } from '../operation.ts';

const MAX_STALE = 10;

/** Lists the notes that are past their day, those that became so last first, and those with observations that are. Reads none of them. */
export function primeStale({ graph, ports }: Vault): readonly PrimeList[] {
  const today = dayOf(ports.clock.now());
  const found: { readonly day: string; readonly line: string }[] = [];
  for (const entry of graph.entries()) {
    if (isStaleNote(graph, entry, today)) {
      const day = readFreshness(entry.properties).staleAfter ?? '';
      found.push({ day, line: `${entry.path} since ${day}` });
    }
    const count = countObservations({ graph }, entry, today);
    if (count > 0) found.push({ day: '', line: `${entry.path}: ${count} of its observations` });
  }
  found.sort((a, b) => compareText(b.day, a.day));
  const lines = found.slice(0, MAX_STALE).map(({ line }) => line);
  return [{ name: 'stale', lines, more: found.length - lines.length }];
}

/** Counts the observations of a note that are past their day, by its properties. */
function countObservations({ graph }: Pick<Vault, 'graph'>, entry: NoteEntry, today: string): number {
  if (graph.facets.propertyOf(entry, OBSERVATION_INFO) === undefined) return 0;
  const info = readObservationInfo(entry.properties) ?? {};
  return Object.values(info).filter((each) => isPropertyMap(each) && isStale(readFreshness(each), today)).length;
}
