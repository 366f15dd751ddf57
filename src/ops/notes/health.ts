import type { NoteEntry } from '../../graph/view.ts';
import { foldKey } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';

/** Something that a person should look at. */
export interface Finding {
  readonly kind:
    'unresolved-link' | 'ambiguous-link' | 'duplicate-id' | 'name-twin' | 'frontmatter' | 'conflict-copy' | 'conflict-marker' | 'vault';
  /** The notes that it concerns, the first one the place to look. */
  readonly paths: readonly string[];
  readonly message: string;
}

const CONFLICT_COPY = /\.sync-conflict-\d{8}-\d{6}|\(conflicted copy|'s conflicted copy /i;

/** All that is wrong in a vault, by kind, then path. Looks, changes nothing. */
export function findProblems(vault: Vault): readonly Finding[] {
  const { graph } = vault;
  const entries = [...graph.entries({ includeHidden: true })];
  return [
    ...vault.warnings().map((message): Finding => ({ kind: 'vault', paths: [], message })),
    ...graph.unresolved().map(({ linkpath, sources }): Finding => ({
      kind: 'unresolved-link',
      paths: sources,
      message: `[[${linkpath}]] leads nowhere; in ${sources.join(', ')}`,
    })),
    ...graph.ambiguous().map((link): Finding => ({
      kind: 'ambiguous-link',
      paths: [link.from],
      message: `[[${link.linkpath}]] in ${link.from} fits several files; ${link.target.kind === 'unresolved' ? 'none' : link.target.path} is taken`,
    })),
    ...twins(entries, (entry) => entry.id).map(([id, paths]): Finding => ({
      kind: 'duplicate-id',
      paths,
      message: `${paths.join(' and ')} have the same id ${id}; give all but one another id`,
    })),
    ...twins(entries, (entry) => foldKey(entry.path)).map(([, paths]): Finding => ({
      kind: 'name-twin',
      paths,
      message: `${paths.join(' and ')} differ only by case or Unicode form; rename one`,
    })),
    ...entries.flatMap((entry) =>
      entry.problems.map((problem): Finding => ({
        kind: 'frontmatter',
        paths: [entry.path],
        message: `${entry.path}${problem.line === undefined ? '' : `:${problem.line}`}: ${problem.message}`,
      })),
    ),
    ...entries
      .filter((entry) => CONFLICT_COPY.test(entry.path))
      .map((entry): Finding => ({
        kind: 'conflict-copy',
        paths: [entry.path],
        message: `${entry.path} is a conflict copy; merge it and delete it`,
      })),
    ...entries
      .filter((entry) => hasMarkers(vault.read(entry.path)?.note.text ?? ''))
      .map((entry): Finding => ({ kind: 'conflict-marker', paths: [entry.path], message: `${entry.path} holds unresolved merge markers` })),
  ];
}

/** All three marks of a merge, each at the start of a line: one alone may be a heading's underline. */
function hasMarkers(text: string): boolean {
  return /^<{7} /m.test(text) && /^={7}$/m.test(text) && /^>{7} /m.test(text);
}

function twins(entries: readonly NoteEntry[], keyOf: (entry: NoteEntry) => string): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry.path]);
  return [...groups].filter(([, paths]) => paths.length > 1);
}
