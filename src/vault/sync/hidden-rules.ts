import ignore from 'ignore';
import { openUserFilters } from './user-filters.ts';

/** Which notes are left out of search, lists and graph views though they still resolve. */
export interface HiddenRules {
  isHidden(path: string): boolean;
  /** Filters that could not be used, and why. */
  readonly warnings: readonly string[];
  /** Obsidian's settings could be read, or are not there. */
  readonly isReadable: boolean;
}

/** The rules of `ignore` in the configuration (gitignore syntax) and of Obsidian's own settings, as text of its `app.json`. */
export function openHiddenRules(sources: { ignore: readonly string[]; obsidianSettings: string | null }): HiddenRules {
  const warnings: string[] = [];
  const patterns = sources.ignore.length > 0 ? ignore().add([...sources.ignore]) : null;
  const filters = openUserFilters(readUserFilters(sources.obsidianSettings, warnings));
  return {
    isReadable: warnings.length === 0,
    warnings: [...warnings, ...filters.warnings],
    isHidden: (path) => (patterns?.ignores(path) ?? false) || filters.tests.some((test) => test(path)),
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
    // What the parser says of it quotes the text.
    warnings.push('.obsidian/app.json is not readable as JSON; its excluded files are not applied.');
    return [];
  }
}
