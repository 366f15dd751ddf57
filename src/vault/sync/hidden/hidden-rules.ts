import { StepBudget } from '../../../wildcards.ts';
import { readIgnorePatterns } from './gitignore.ts';
import { openUserFilters } from './user-filters.ts';

/** The notes that are hidden from search, lists and graph views, although links to them resolve. */
export interface HiddenRules {
  isHidden(path: string): boolean;
  /** Filters that are not applied, and why. */
  readonly warnings: readonly string[];
  /** False if Obsidian's settings exist and could not be read. */
  readonly isReadable: boolean;
}

/** Steps of all patterns and filters for one path: some tenths of a millisecond. */
const MAX_STEPS_A_PATH = 50_000;

const TOO_MANY_STEPS =
  'The patterns of "ignore" in .rouxrc.json, or the excluded-files filters of .obsidian/app.json, need too many steps for some paths; these are not hidden. Use fewer or simpler ones.';

/**
 * Creates the rules from `ignore` in the configuration (gitignore syntax) and the text of Obsidian's `app.json`. `warn` is called at most
 * once, when a path needs too many steps; afterwards `warnings` includes it.
 */
export function openHiddenRules(sources: {
  readonly ignore: readonly string[];
  readonly obsidianSettings: string | null;
  readonly warn?: (warning: string) => void;
}): HiddenRules {
  const unreadable: string[] = [];
  let isTooMuch = false;
  const budget = new StepBudget(MAX_STEPS_A_PATH, () => {
    if (!isTooMuch) sources.warn?.(TOO_MANY_STEPS);
    isTooMuch = true;
  });
  const isIgnored = readIgnorePatterns(sources.ignore, budget);
  const filters = openUserFilters(readUserFilters(sources.obsidianSettings, unreadable), budget);
  return {
    isReadable: unreadable.length === 0,
    get warnings() {
      return [...unreadable, ...filters.warnings, ...(isTooMuch ? [TOO_MANY_STEPS] : [])];
    },
    isHidden: (path) => isIgnored(path) || filters.isExcluded(path),
  };
}

function readUserFilters(settings: string | null, warnings: string[]): readonly string[] {
  if (settings === null) return [];
  try {
    const parsed: unknown = JSON.parse(settings.replace(/^\ufeff/, ''));
    if (typeof parsed !== 'object' || parsed === null || !('userIgnoreFilters' in parsed)) return [];
    const filters: unknown = parsed.userIgnoreFilters;
    return Array.isArray(filters) ? filters.filter((filter) => typeof filter === 'string' && filter !== '') : [];
  } catch {
    // The parser's message would quote the text.
    warnings.push('.obsidian/app.json is not readable as JSON; its excluded files are not applied.');
    return [];
  }
}
