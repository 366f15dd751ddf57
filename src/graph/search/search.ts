import type { NotePath } from '../../note/path.ts';

/** How notes are found: by their words, by literal text, by meaning, or by words and meaning together. `auto`: both where notes have vectors. */
export type SearchMode = 'keyword' | 'exact' | 'semantic' | 'hybrid' | 'auto';

/** One hit. */
export interface SearchHit {
  readonly path: NotePath;
  /** Its place in the order that pages are cut from: a next page begins behind it. */
  readonly at: number;
  /** 0 to 1, comparable within one answer and between equal queries. */
  readonly score: number;
  /** A stretch of the body around the hits, at most the asked length; the body as it stands where that is short. */
  readonly snippet: string;
  /** The snippet is the body as it stands. */
  readonly isWhole: boolean;
  /** The section that is near in meaning (`Setup#On Linux`), where it is not the beginning of the note. */
  readonly section?: string;
}

export interface SearchRequest {
  /** Words, `"phrase"`, `-not`, `OR`, parentheses, `[property:value]` and operators such as `tag:` (docs/guide.md, Searching). */
  readonly query: string;
  readonly mode: SearchMode;
  readonly limit: number;
  readonly offset?: number;
  /** Who asks: the pages that one caller asks for follow one order. Left out: each page is cut from the order of the moment. */
  readonly caller?: string;
  /** Longest snippet in UTF-16 units; 0 for none, and notes are not read for one. */
  readonly snippetLength: number;
  /** Bodies of at most so many UTF-16 units are given as they stand. Left out: none. */
  readonly wholeLength?: number;
  readonly filter?: { readonly under?: string; readonly type?: string };
  /** Ends the waiting for what the question means. */
  readonly signal?: AbortSignal;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** All that matched, before the limit; where pages follow an order that was given before, with those that match no more. */
  readonly total: number;
  /** `total` is what is known: notes that may match were not looked into, as the page was full before. */
  readonly isLowerBound: boolean;
  /** The mode that was used. */
  readonly mode: Exclude<SearchMode, 'auto'>;
  /** How it was answered: by the index, or by reading the notes while the index is not complete. */
  readonly by: 'index' | 'scan';
  /** What of the query was read otherwise than it may be meant, and what this answer lacks because of how it was found. */
  readonly warnings: readonly string[];
}

/** What the vault gives to operations: search that answers from the first moment. */
export interface SearchView {
  search(request: SearchRequest): Promise<SearchAnswer>;
  readonly state: 'building' | 'ready' | 'off';
}
