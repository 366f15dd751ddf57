import ignore from 'ignore';

/** Which notes are left out of search, lists and graph views though they still resolve. */
export interface HiddenRules {
  isHidden(path: string): boolean;
  /** Filters that could not be used, and why. */
  readonly warnings: readonly string[];
}

/** The rules of `ignore` in the configuration (gitignore syntax) and of Obsidian's own settings, as text of its `app.json`. */
export function openHiddenRules(sources: { ignore: readonly string[]; obsidianSettings: string | null }): HiddenRules {
  const warnings: string[] = [];
  const patterns = sources.ignore.length > 0 ? ignore().add([...sources.ignore]) : null;
  const filters = readUserFilters(sources.obsidianSettings, warnings).flatMap((filter) => toTest(filter, warnings) ?? []);
  return {
    warnings,
    isHidden: (path) => (patterns?.ignores(path) ?? false) || filters.some((test) => test(path)),
  };
}

function readUserFilters(settings: string | null, warnings: string[]): readonly string[] {
  if (settings === null) return [];
  try {
    const parsed: unknown = JSON.parse(settings);
    if (typeof parsed !== 'object' || parsed === null || !('userIgnoreFilters' in parsed)) return [];
    const filters: unknown = parsed.userIgnoreFilters;
    return Array.isArray(filters) ? filters.filter((filter) => typeof filter === 'string' && filter !== '') : [];
  } catch (error) {
    warnings.push(`.obsidian/app.json is not readable as JSON (${String(error)}); its excluded files are not applied.`);
    return [];
  }
}

/** Obsidian takes `/…/` as a regular expression and anything else as the beginning of a path. */
function toTest(filter: string, warnings: string[]): ((path: string) => boolean) | null {
  if (!/^\/.+\/$/.test(filter)) {
    const prefix = filter.toLowerCase();
    return (path) => path.toLowerCase().startsWith(prefix);
  }
  const source = filter.slice(1, -1);
  if (mayExplode(source)) {
    warnings.push(`The excluded-files filter ${filter} of .obsidian/app.json nests repetitions and is not applied; simplify it.`);
    return null;
  }
  try {
    const expression = new RegExp(source, 'i');
    return (path) => expression.test(path);
  } catch {
    warnings.push(`The excluded-files filter ${filter} of .obsidian/app.json is no regular expression and is not applied.`);
    return null;
  }
}

/**
 * A vault may come from a stranger, and a backtracking expression can stop the process for minutes.
 * What takes exponential time repeats a group that itself repeats or branches; what takes a high power repeats often.
 */
function mayExplode(source: string): boolean {
  const plain = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repeats = plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  return source.length > 200 || repeats > 3 || /\)[*+{]/.test(plain) || /\\[1-9k]/.test(source);
}
