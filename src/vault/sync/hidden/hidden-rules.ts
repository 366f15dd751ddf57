import { StepBudget } from '../../../wildcards.ts';
import { readIgnorePatterns } from './gitignore.ts';
import { readPathPattern } from './path-pattern.ts';
import type { PathPattern } from './path-pattern.ts';

/** The applied filters, and warnings about others. */
interface UserFilters {
  /** Returns whether a filter matches this path; false if that exceeds the budget of all filters. */
  isExcluded(path: string): boolean;
  readonly warnings: readonly string[];
}

/** Filters that are applied, as each is tested for every path. */
const MAX_FILTERS = 200;
/** Filters that a warning lists. */
const MAX_LISTED = 5;
const MAX_NAME_CHARACTERS = 60;

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

/**
 * Compiles Obsidian's "Excluded files": `/…/` is a regular expression, anything else a path prefix. A vault may come from a stranger, and
 * backtracking could block the process, so the expressions run without it.
 */
function openUserFilters(filters: readonly string[], budget: StepBudget): UserFilters {
  const unreadable: string[] = [];
  const tests = filters.slice(0, MAX_FILTERS).flatMap((filter): PathPattern[] => {
    if (!/^\/.+\/$/s.test(filter)) {
      const prefix = filter.toLowerCase();
      return [(path) => path.startsWith(prefix)];
    }
    const pattern = readPathPattern(filter.slice(1, -1));
    if (pattern === null) unreadable.push(filter);
    return pattern === null ? [] : [pattern];
  });
  return {
    isExcluded(path) {
      if (tests.length === 0) return false;
      budget.reset();
      const lower = path.toLowerCase();
      return tests.some((test) => test(lower, budget));
    },
    warnings: [...nameUnreadable(unreadable), ...describeIgnored(filters.length)],
  };
}

function nameUnreadable(filters: readonly string[]): readonly string[] {
  const named = filters.slice(0, MAX_LISTED).map((filter) => {
    const name = filter.length > MAX_NAME_CHARACTERS ? `${filter.slice(0, MAX_NAME_CHARACTERS)}…` : filter;
    return `The excluded-files filter ${name} of .obsidian/app.json is no regular expression that roux reads and is not applied.`;
  });
  const more = filters.length - named.length;
  return more > 0 ? [...named, `${more} more excluded-files filters like these are not applied.`] : named;
}

function describeIgnored(count: number): readonly string[] {
  return count > MAX_FILTERS ? [`Of the ${count} excluded-files filters of .obsidian/app.json the first ${MAX_FILTERS} are applied.`] : [];
}
