import { HopSearch } from '../../../src/graph/hops/hop-search.ts';
import type { NoteEmbeddings } from '../../../src/graph/semantic/embeddings.ts';
import type { Notes } from '../search/search-of.ts';

/** Search with hops over notes that are not embedded. */
export function hopsOf({ graph, search }: Notes, readText: (path: string) => string | null): HopSearch {
  return new HopSearch({ graph, readText, keywordSearch: search, embeddings: {} as NoteEmbeddings });
}
