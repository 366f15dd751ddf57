import { search as searchNotes } from '../../../ops/notes/read/search.ts';
import { firstCharacters } from '../../../ops/shorten.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import { noteLine, showWarnings } from '../show.ts';

/** Most characters of a snippet on its line. */
const SNIPPET = 200;

/** Full-text search. */
export const search = defineCommand({
  name: 'search',
  summary: 'find notes by words, "phrases", -not, OR, ( ), tag:x, file:x, line:(a b), [property:value]',
  usage: '<query> [vault]',
  group: 'read',
  arity: 1,
  options: {
    limit: { type: 'number', short: 'n', min: 1, max: 50, help: 'how many, 1 to 50 (10)' },
    exact: { type: 'boolean', help: 'literal text instead of words' },
  },
  async run(context) {
    const { args, options } = context;
    const mode = options.exact === true ? 'exact' : 'keyword';
    const { output: hits, warnings } = await context.run(searchNotes, { query: args[0] ?? '', limit: options.limit, mode });
    if (context.isJson) context.printJson(hits);
    else {
      for (const { title, path, content } of hits) {
        context.print(noteLine({ title, path: path ?? '' }, context));
        const snippet = visibleLine(firstCharacters((content ?? '').replace(/\s+/g, ' ').trim(), SNIPPET));
        if (snippet !== '') context.print(`  ${snippet}`);
      }
      showWarnings(context, warnings);
      if (hits.length === 0) context.note('Nothing found.');
    }
    return hits.length === 0 ? FINDINGS : DONE;
  },
});
