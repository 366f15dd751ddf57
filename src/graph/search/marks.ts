import type { Span } from '../../note/note.ts';
import { parseSearchQuery } from './query/parse-query.ts';
import { findHits } from './find-hits.ts';
import { toSnippetQuery } from './snippet.ts';

/** Returns a function that finds the ranges to highlight for a query in texts, sorted and disjoint. The query is parsed once. */
export function markerOf(query: string): (text: string) => readonly Span[] {
  const wanted = toSnippetQuery(parseSearchQuery(query));
  return (text) => {
    const marks: Span[] = [];
    for (const { start, end } of findHits(text, { start: 0, end: text.length }, wanted)) {
      const last = marks.at(-1);
      if (last !== undefined && start <= last.end) marks[marks.length - 1] = { start: last.start, end: Math.max(last.end, end) };
      else marks.push({ start, end });
    }
    return marks;
  };
}
