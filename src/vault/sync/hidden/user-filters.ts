import type { StepBudget } from '../../../wildcards.ts';
import { readPathPattern } from './path-pattern.ts';
import type { PathPattern } from './path-pattern.ts';

/** Filters that are in use, and what is to be told of the others. */
export interface UserFilters {
  /** Whether one of them names this path; false where that takes more steps than the budget has for all of them together. */
  isExcluded(path: string): boolean;
  readonly warnings: readonly string[];
}

/** More filters than anybody writes: each is asked of every path. */
const MAX_FILTERS = 200;
/** So many of the filters that cannot be used are named. */
const MAX_LISTED = 5;
const MAX_NAME_CHARACTERS = 60;

/**
 * Obsidian's "Excluded files" as tests: `/…/` is a regular expression, anything else the beginning of a path. A vault may
 * come from a stranger, and an expression that goes back and forth could stop the process; here none does.
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
    warnings: [...nameUnreadable(unreadable), ...tellMore(filters.length)],
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

function tellMore(count: number): readonly string[] {
  return count > MAX_FILTERS ? [`Of the ${count} excluded-files filters of .obsidian/app.json the first ${MAX_FILTERS} are applied.`] : [];
}
