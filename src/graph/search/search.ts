import type { NotePath } from '../../note/path.ts';

/** One hit. */
export interface SearchHit {
  readonly path: NotePath;
  /** 0 to 1, comparable within one answer and between equal queries. */
  readonly score: number;
  /** A stretch of the body around the hits, at most the asked length. */
  readonly snippet: string;
}

export interface SearchRequest {
  /** Words, `"phrase"`, `-not`, `tag:`, `path:`, `type:`, `[property:value]`. */
  readonly query: string;
  readonly mode: 'keyword' | 'exact';
  readonly limit: number;
  readonly offset?: number;
  /** Longest snippet in UTF-16 units. */
  readonly snippetLength: number;
  readonly filter?: { readonly under?: string; readonly type?: string };
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** All that matched, before the limit. */
  readonly total: number;
  /** How it was answered: by the index, or by reading the notes while the index is not complete. */
  readonly by: 'index' | 'scan';
}

/** What the vault gives to operations: search that answers from the first moment. */
export interface SearchView {
  search(request: SearchRequest): Promise<SearchAnswer>;
  readonly state: 'building' | 'ready' | 'off';
}
