import * as z from 'zod';
import { markerOf } from '../../../../graph/search/marks.ts';
import type { SearchHit } from '../../../../graph/search/search.ts';
import type { NoteEntry } from '../../../../graph/view.ts';
import { folderOf } from '../../../../note/path.ts';
import type { AttachmentHit } from '../../../../vault/attachments/attachments.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { warnOfLowConfidence } from '../../search-confidence.ts';
import { completeQuery } from './complete-query.ts';
import { kindOf } from './note-kind.ts';
import { plainLine } from '../plain-line.ts';

/** A range of a text that matches the query. */
type Mark = readonly [start: number, end: number];

const MAX_SNIPPET_CHARACTERS = 220;
/** An incomplete condition at the end: `tag:`, or a property that is not closed. */
const UNFINISHED = /(?:^|(?<=[\s(]))-?(?:\[[^[\]]*|(?:tag|path|type|file|line|block|content|section|task|task-todo|task-done):"?)$/u;

/** Searches while the user types. */
export const suggest = defineOperation({
  name: 'suggest',
  toolset: null,
  title: 'Search as you type',
  summary:
    'Notes, tasks, facts and memories that a query finds by its words, with the hits marked, and what its last word may go on to be.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    query: z.string().max(2_000),
    limit: z.int().min(1).max(50).default(20),
    offset: z.int().min(0).max(10_000).default(0),
  }),
  async run(context, { query, limit, offset }) {
    const { vault } = context;
    const completions = offset === 0 ? completeQuery(vault, query) : [];
    const complete = query.replace(UNFINISHED, '');
    if (complete.trim() === '') return { completions, hits: [], files: [], total: 0, is_lower_bound: false, warnings: [] };
    const files = offset === 0 ? await vault.search.attachments.search(complete) : { hits: [], warnings: [] };
    const found = await vault.search.search({
      query: complete,
      mode: 'keyword',
      limit,
      offset,
      caller: `${context.session} suggest`,
      snippetLength: MAX_SNIPPET_CHARACTERS,
      signal: context.signal,
    });
    const mark = markerOf(complete);
    const hits = found.hits.flatMap((hit) => {
      const entry = vault.graph.get(hit.path);
      return entry === null ? [] : [toHit(context, entry, hit, mark)];
    });
    const last = found.hits.at(-1);
    const low = warnOfLowConfidence(found);
    return {
      completions,
      hits,
      files: files.hits.map((hit) => toFile(hit, mark)),
      total: found.total,
      is_lower_bound: found.isLowerBound,
      ...(last !== undefined && last.at + 1 < found.total ? { next_offset: last.at + 1 } : {}),
      warnings: [...found.warnings, ...files.warnings, ...(low === null ? [] : [low])],
    };
  },
});

function toFile({ path, page, snippet }: AttachmentHit, mark: ReturnType<typeof markerOf>) {
  const shown = snippet.replace(/\s+/g, ' ');
  return { path, ...(page === undefined ? {} : { page }), snippet: shown, marks: marksIn(shown, mark) };
}

function toHit(context: OperationContext, entry: NoteEntry, { snippet, score }: SearchHit, mark: ReturnType<typeof markerOf>) {
  const { text: shown } = plainLine(snippet);
  return {
    kind: kindOf(context.config, entry.path),
    path: entry.path,
    title: entry.title,
    title_marks: marksIn(entry.title, mark),
    folder: folderOf(entry.path),
    type: entry.type,
    snippet: shown,
    marks: marksIn(shown, mark),
    score,
  };
}

function marksIn(text: string, mark: ReturnType<typeof markerOf>): readonly Mark[] {
  return mark(text).map(({ start, end }) => [start, end] as const);
}
