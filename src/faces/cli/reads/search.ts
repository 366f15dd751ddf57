import { search as searchNotes } from '../../../ops/notes/read/search.ts';
import type { FoundFile } from '../../../ops/notes/read/search.ts';
import type { Answer } from '../../../ops/session.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { excerptLine, findHits } from '../excerpt.ts';
import { defineOperationCommand, LIMIT, OFFSET, statusOfList } from '../operation-command.ts';
import { WATCH_OPTION } from '../options.ts';
import { formatNote } from '../show.ts';

/** The longest snippet, in columns. */
const MAX_SNIPPET_COLUMNS = 200;

/** Returns what was found in PDFs and pictures. */
function filesIn(parts: NonNullable<Answer['parts']>): readonly FoundFile[] {
  return (parts['files'] ?? []) as readonly FoundFile[];
}

type FoundNote = Awaited<ReturnType<(typeof searchNotes)['run']>>[number];

/** `roux search`: finds notes by words, by meaning, or both. */
export const search = defineOperationCommand({
  operation: searchNotes,
  name: 'search',
  summary: 'find notes by words, "phrases", -not, OR, ( ), tag:x, file:x, line:(a b), [property:value]',
  group: 'read',
  positionals: [{ name: 'query', argument: 'query', completes: 'query', isJoined: true }],
  options: {
    limit: LIMIT,
    offset: OFFSET,
    // Keyword is the default, because loading the embedding model takes longer than a search.
    mode: { help: 'how to search', default: 'keyword' },
    hops: { help: '1: also rank what the best hits link to or name' },
    'min-confidence': { value: 'N', help: 'find nothing if it is less likely, 0 to 1, that a note fits' },
    explain: { help: 'say why each note was found' },
    exact: { type: 'boolean', help: 'literal text instead of words, as --mode exact' },
    ...WATCH_OPTION,
  },
  prepare: (args, { options }) => (options.exact === true ? { ...args, mode: 'exact' as const } : args),
  show(hits, context, { query = '', mode }, parts) {
    const { print, paint } = context;
    const columns = Math.min(MAX_SNIPPET_COLUMNS, (context.columns ?? MAX_SNIPPET_COLUMNS) - 2);
    const printSnippet = (snippet: string): void => {
      const text = snippet.replace(/\s+/g, ' ').trim();
      if (text !== '') print(`  ${excerptLine(text, { hits: findHits(text, query, { isExact: mode === 'exact' }), columns, paint })}`);
    };
    for (const { title, path, content, heading, line, via, explained, _stale: stale } of hits) {
      // Terminals and editors open `path:line` at a click.
      print(formatNote({ title, path: line === undefined ? path : `${path}:${line}` }, context));
      if (stale !== undefined) print(paint.yellow(`  stale ${stale}`));
      if (heading !== undefined) print(paint.dim(`  # ${visibleLine(heading.replaceAll('#', ' > '))}`));
      if (via !== undefined) print(paint.dim(`  via ${visibleLine(via.path)} (${via.by})`));
      if (explained !== undefined) print(paint.dim(`  ${visibleLine(formatExplanation(explained))}`));
      printSnippet(content ?? '');
    }
    for (const { path, page, snippet } of filesIn(parts)) {
      const title = `${path.replace(/^.*\//, '')}${page === undefined ? '' : `, page ${page}`}`;
      print(formatNote({ title, path }, context));
      printSnippet(snippet);
    }
  },
  // Files come after the notes: a list stays a list.
  toJson: (hits, parts) => [...hits, ...filesIn(parts)],
  status: (hits, parts) => statusOfList([...hits, ...filesIn(parts)]),
  emptyText: 'Nothing found.',
});

/** Formats why a note was found: `clean, gutter at line 3; not barrel; 80 % by words`. */
function formatExplanation({ words, missing, line, by_words: byWords }: NonNullable<FoundNote['explained']>): string {
  const where = line === undefined ? '' : ` at line ${line}`;
  const parts = [words.length === 0 ? '' : `${words.join(', ')}${where}`, missing.length === 0 ? '' : `not ${missing.join(', ')}`];
  return [...parts.filter((part) => part !== ''), `${Math.round(100 * byWords)} % by words`].join('; ');
}
