import { findNearestText } from '../../../note/body/nearest-text.ts';
import { nearestIn, quoteWanted } from '../../names/near-names.ts';

/** Texts that were not there that one answer explains. */
const MAX_EXPLAINED = 5;

/** A text that a call was to delete and that was not there. */
export interface Missing {
  /** What has none, such as `"Nora" has no observation`. */
  readonly owner: string;
  readonly wanted: string;
  /** What is there. */
  readonly texts: readonly string[];
}

/**
 * Returns warnings about what was not there to be deleted, with the nearest text that is. The answer itself has to be that of the reference
 * server (S4-07).
 */
export function describeMissing(missing: readonly Missing[]): readonly string[] {
  const warnings = missing.slice(0, MAX_EXPLAINED).map(({ owner, wanted, texts }) => {
    const at = findNearestText(wanted, texts);
    const nearest = at === null ? [] : [{ name: texts[at] ?? '' }];
    return `Not deleted: ${owner} ${quoteWanted(wanted)}.${nearestIn(nearest).text}`;
  });
  const more = missing.length - warnings.length;
  return more === 0 ? warnings : [...warnings, `Not deleted: ${more} more, which are not there either.`];
}
