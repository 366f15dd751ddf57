import type { SearchAnswer, SearchHit } from '../../graph/search/search.ts';
import type { Vault } from '../../vault/vault.ts';

/** Below this an answer is more likely to be of no use: of questions that a vault answers, one in twenty. */
const LOW_CONFIDENCE = 0.19;
/** How many of the nearest notes are named where none fits. */
const MAX_NEAREST = 3;

/** Whether an answer is more likely to be of no use than not. */
export function isUnsure({ confidence, hits }: Pick<SearchAnswer, 'confidence' | 'hits'>): boolean {
  return confidence !== null && confidence < LOW_CONFIDENCE && hits.length > 0;
}

/** Returns what to say of an answer that hardly fits; null where it may fit, or that is not known. */
export function warnOfLowConfidence(answer: Pick<SearchAnswer, 'confidence' | 'hits'>): string | null {
  if (!isUnsure(answer)) return null;
  return `Probably nothing fits (confidence ${formatConfidence(answer.confidence ?? 0)}); these are the nearest.`;
}

/** Says that no note fits as well as was asked, and which are the nearest. */
export function tellWhatIsNearest(
  { graph }: Pick<Vault, 'graph'>,
  { confidence, least, hits }: { readonly confidence: number; readonly least: number; readonly hits: readonly SearchHit[] },
): string {
  const nothing = `Nothing fits: the confidence is ${formatConfidence(confidence)}, below min_confidence ${least}`;
  const names = hits.slice(0, MAX_NEAREST).map(({ path }) => JSON.stringify(graph.get(path)?.title ?? path));
  return names.length === 0 ? `${nothing}.` : `${nothing}; the nearest are ${names.join(', ')}.`;
}

function formatConfidence(confidence: number): string {
  return confidence.toFixed(2);
}
