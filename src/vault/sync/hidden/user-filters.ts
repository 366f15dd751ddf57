import type { StepBudget } from '../../../wildcards.ts';
import { readPathPattern } from './path-pattern.ts';
import type { PathPattern } from './path-pattern.ts';

/** The applied filters, and warnings about others. */
export interface UserFilters {
  /** Returns whether a filter matches this path; false if that exceeds the budget of all filters. */
  isExcluded(path: string): boolean;
  readonly warnings: readonly string[];
}

/** Filters that are applied, as each is tested for every path. */
const MAX_FILTERS = 200;
/** Filters that a warning lists. */
const MAX_LISTED = 5;
const MAX_NAME_CHARACTERS = 60;

/**
 * Compiles Obsidian's "Excluded files": `/…/` is a regular expression, anything else a path prefix. A vault may come from a stranger, and
 * backtracking could block the process, so the expressions run without it.
 */
export function openUserFilters(filters: readonly string[], budget: StepBudget): UserFilters {
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
