import { search as searchOperation } from '../../../ops/notes/read/search.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import { listRecords, noteLine, textOf } from '../show.ts';
import { plain } from '../terminal.ts';

/** Full-text search. */
export const search = defineCommand({
  name: 'search',
  summary: 'find notes by words, "phrases", tag:x, path:x, type:x',
  usage: '<query> [vault]',
  group: 'read',
  arity: 1,
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: 'how many, 1 to 50 (10)' },
    exact: { type: 'boolean', help: 'literal text instead of words' },
  },
  async run(context) {
    const { options, paint } = context;
    const { output, warnings } = await context.run(searchOperation, {
      query: context.args[0],
      ...(options['limit'] === undefined ? {} : { limit: options['limit'] }),
      ...(options['exact'] === true ? { mode: 'exact' } : {}),
    });
    const hits = listRecords(output);
    if (context.isJson) context.printJson(output);
    else {
      for (const hit of hits) {
        context.print(noteLine({ title: textOf(hit, 'title'), path: textOf(hit, 'path') }, context));
        const snippet = plain(textOf(hit, 'content')).replace(/\s+/g, ' ').trim().slice(0, 200);
        if (snippet !== '') context.print(`  ${snippet}`);
      }
      for (const warning of warnings) context.note(paint.dim(warning));
      if (hits.length === 0) context.note('Nothing found.');
    }
    return hits.length === 0 ? FINDINGS : DONE;
  },
});
