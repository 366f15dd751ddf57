import { search as searchNotes } from '../../../ops/notes/read/search.ts';
import { defineCommand, DONE, FINDINGS, WATCH_OPTION } from '../command.ts';
import { excerptLine, hitsOf } from '../excerpt.ts';
import { noteLine, showWarnings } from '../show.ts';

/** Columns of a snippet where there is no terminal that has so many. */
const SNIPPET = 200;

/** Full-text search. */
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
    exact: { type: 'boolean', help: 'literal text instead of words' },
    ...WATCH_OPTION,
  },
  async run(context) {
    const { args, options, paint } = context;
    const [query = ''] = args;
    const isExact = options.exact === true;
    const wanted = { query, limit: options.limit, offset: options.offset, mode: isExact ? 'exact' : 'keyword' } as const;
    const { output: hits, warnings } = await context.run(searchNotes, wanted);
    if (context.isJson) context.printJson(hits);
    else {
      const columns = Math.min(SNIPPET, (context.columns ?? SNIPPET) - 2);
      for (const { title, path, content } of hits) {
        context.print(noteLine({ title, path: path ?? '' }, context));
        const text = (content ?? '').replace(/\s+/g, ' ').trim();
        if (text !== '') context.print(`  ${excerptLine(text, { hits: hitsOf(text, query, { isExact }), columns, paint })}`);
      }
      showWarnings(context, warnings);
      if (hits.length === 0) context.note('Nothing found.');
    }
    return hits.length === 0 ? FINDINGS : DONE;
  },
});
