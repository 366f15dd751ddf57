import { search as searchNotes } from '../../../ops/notes/read/search.ts';
import { RouxError } from '../../../errors.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE, FINDINGS, WATCH_OPTION } from '../command.ts';
import { excerptLine, findHits } from '../excerpt.ts';
import { formatNote, showWarnings } from '../show.ts';

/** The longest snippet, in columns. */
const MAX_SNIPPET_COLUMNS = 200;

const MODES = ['keyword', 'semantic', 'hybrid', 'exact'] as const;

/** Returns the search mode with this name; throws `INVALID_PARAMS` for an unknown one. */
function readMode(name: string): (typeof MODES)[number] {
  const mode = MODES.find((each) => each === name);
  if (mode === undefined) throw new RouxError('INVALID_PARAMS', `--mode takes ${MODES.join(', ')}, not ${JSON.stringify(name)}.`);
  return mode;
}

/** `roux search`: finds notes by words, by meaning, or both. */
export const search = defineCommand({
  name: 'search',
  summary: 'find notes by words, "phrases", -not, OR, ( ), tag:x, file:x, line:(a b), [property:value]',
  usage: '<query>',
  group: 'read',
  arity: 1,
  isJoined: true,
  completes: ['query'],
  options: {
    limit: { type: 'number', short: 'n', min: 1, max: 50, help: 'how many, 1 to 50 (10)' },
    offset: { type: 'number', min: 0, max: 1_000_000, help: 'leave out so many from the front' },
    mode: { type: 'string', value: 'MODE', help: 'keyword, semantic, hybrid or exact (keyword)', completes: MODES },
    exact: { type: 'boolean', help: 'literal text instead of words, as --mode exact' },
    ...WATCH_OPTION,
  },
  async run(context) {
    const { args, options, paint } = context;
    const [query = ''] = args;
    // Keyword is the default, because loading the embedding model takes longer than a search.
    const mode = options.exact === true ? 'exact' : readMode(options.mode ?? 'keyword');
    const isExact = mode === 'exact';
    const wanted = { query, limit: options.limit, offset: options.offset, mode };
    const { output: hits, warnings } = await context.run(searchNotes, wanted);
    if (context.isJson) context.printJson(hits);
    else {
      const columns = Math.min(MAX_SNIPPET_COLUMNS, (context.columns ?? MAX_SNIPPET_COLUMNS) - 2);
      for (const { title, path, content, section } of hits) {
        context.print(formatNote({ title, path: path ?? '' }, context));
        if (section !== undefined) context.print(paint.dim(`  # ${visibleLine(section.replaceAll('#', ' > '))}`));
        const text = (content ?? '').replace(/\s+/g, ' ').trim();
        if (text !== '') context.print(`  ${excerptLine(text, { hits: findHits(text, query, { isExact }), columns, paint })}`);
      }
      showWarnings(context, warnings);
      if (hits.length === 0) context.note('Nothing found.');
    }
    return hits.length === 0 ? FINDINGS : DONE;
  },
});
