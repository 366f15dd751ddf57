import { infoOf } from '../../note/body/observation-properties.ts';
import { dayOf, isStale, judgeConfirmations, readFreshness } from '../../note/freshness.ts';
import type { Confirmation, Freshness } from '../../note/freshness.ts';
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

/**
 * Describes which entities and observations of an answer are stale, or confirmed on a day that has not come; null if none is. The shape of the
 * answer has no place for it.
 */
export function describeStaleEntities(entities: readonly FreshEntity[], now: number): string | null {
  const stale = entities.flatMap(({ name, observations, observationInfo, freshness }) => [
    ...describe(quoted(name), freshness, now),
    ...(observationInfo === null ? [] : observations).flatMap((text) =>
      describe(`${quoted(text)} of ${quoted(name)}`, readFreshness(infoOf(observationInfo, text)), now),
    ),
  ]);
  if (stale.length === 0) return null;
  const more = stale.length > MAX_LISTED ? `; and ${stale.length - MAX_LISTED} more` : '';
  return `Stale: ${stale.slice(0, MAX_LISTED).join('; ')}${more}. Check it before you rely on it; confirm renews what still holds.`;
}

function describe(name: string, freshness: Freshness, now: number): readonly string[] {
  const { confirmed, misdated } = judgeConfirmations(freshness, now);
  const last = confirmed === null ? '' : ` (${describeConfirmation(confirmed)})`;
  return [
    ...(isStale(freshness, dayOf(now)) ? [`${name} since ${freshness.staleAfter ?? ''}${last}`] : []),
    ...(misdated === null ? [] : [`${name} is ${describeConfirmation(misdated)}, in the future, which counts for nothing`]),
  ];
}

function describeConfirmation({ by, at }: Confirmation): string {
  return `confirmed ${at.slice(0, 10)} by ${shorten(by, MAX_TEXT_CHARACTERS)}`;
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, MAX_TEXT_CHARACTERS));
}
