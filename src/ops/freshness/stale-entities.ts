import { infoOf } from '../../note/body/observation-properties.ts';
import { isStale, readFreshness } from '../../note/freshness.ts';
import type { Freshness } from '../../note/freshness.ts';
import type { PropertyMap } from '../../note/frontmatter/property-value.ts';
import { shorten } from '../shorten.ts';

/** An entity of the memory, with what its note says about freshness. */
interface FreshEntity {
  readonly name: string;
  readonly observations: readonly string[];
  readonly observationInfo: PropertyMap | null;
  readonly freshness: Freshness;
}

const MAX_LISTED = 10;
const MAX_TEXT_CHARACTERS = 80;

/** Describes which entities and observations of an answer are stale; null if none is. The shape of the answer has no place for it. */
export function describeStaleEntities(entities: readonly FreshEntity[], today: string): string | null {
  const stale = entities.flatMap(({ name, observations, observationInfo, freshness }) => [
    ...describe(quoted(name), freshness, today),
    ...(observationInfo === null ? [] : observations).flatMap((text) =>
      describe(`${quoted(text)} of ${quoted(name)}`, readFreshness(infoOf(observationInfo, text)), today),
    ),
  ]);
  if (stale.length === 0) return null;
  const more = stale.length > MAX_LISTED ? `; and ${stale.length - MAX_LISTED} more` : '';
  return `Stale: ${stale.slice(0, MAX_LISTED).join('; ')}${more}. Check it before you rely on it; confirm renews what still holds.`;
}

function describe(name: string, { staleAfter, confirmed }: Freshness, today: string): readonly string[] {
  if (!isStale({ staleAfter }, today)) return [];
  const last = confirmed === null ? '' : ` (confirmed ${confirmed.at.slice(0, 10)} by ${shorten(confirmed.by, MAX_TEXT_CHARACTERS)})`;
  return [`${name} since ${staleAfter ?? ''}${last}`];
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, MAX_TEXT_CHARACTERS));
}
