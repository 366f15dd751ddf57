import type { NotePath } from '../../note/path.ts';
import type { PlaceInNote } from './place-in-note.ts';
import type { WordRarity } from './inverted/text-index.ts';

/** How notes are found: by words, by literal text, by meaning, or by words and meaning together. `auto` uses both if notes have vectors. */
export type SearchMode = 'keyword' | 'exact' | 'semantic' | 'hybrid' | 'auto';

/** How a hit was reached from another one: by a link, in either direction; by its name in the other; or by the words of both. */
export interface Via {
  readonly path: NotePath;
  readonly by: 'link' | 'name' | 'words';
}

export interface SearchHit {
  readonly path: NotePath;
  /** Its position in the result order: the next page starts after it. */
  readonly at: number;
  /** 0 to 1, comparable within one answer and between equal queries. */
  readonly score: number;
  /** A part of the body around the matches, at most as long as requested; the whole body if that is short. */
  readonly snippet: string;
  /** Whether the snippet is the whole body. */
  readonly isWhole: boolean;
  /** Where the matches of the snippet, or the passage of similar meaning, begin; absent where only the name of the note matches. */
  readonly place?: PlaceInNote;
  /** The hit through which it was reached; absent where it was found by the query itself. */
  readonly via?: Via;
  /** The share of the score that words gave, 0 to 1, where meaning gave the rest; absent where one of them gave all of it. */
  readonly byWords?: number;
  /** Why it was found, where the request asked. */
  readonly explained?: Explained;
}

/** Why a note was found. */
export interface Explained {
  /** Words of the query that it has, and those that it has not. */
  readonly words: readonly string[];
  readonly missing: readonly string[];
  /** The first line, counted from 1, of the passage with most of them; null where the text has none of them. */
  readonly line: number | null;
}

export interface SearchRequest {
  /** Words, `"phrase"`, `-not`, `OR`, parentheses, `[property:value]` and operators such as `tag:` (docs/guide.md, Searching). */
  readonly query: string;
  readonly mode: SearchMode;
  readonly limit: number;
  readonly offset?: number;
  /** The caller, whose pages follow one order. When absent, each page is cut from the present order. */
  readonly caller?: string;
  /** Longest snippet in UTF-16 units; 0 for none, so that notes need not be read. */
  readonly snippetLength: number;
  /** Longest body in UTF-16 units that is returned whole. When absent, none is. */
  readonly wholeLength?: number;
  /** Whether hits say why they were found; each is read. */
  readonly isExplained?: boolean;
  /** 1: notes to which the first hits lead are ranked too. */
  readonly hops?: 0 | 1;
  /** `areReserved`: the `index.md` and `log.md` files of bundles instead of notes; only with the modes `keyword` and `exact`. */
  readonly filter?: { readonly under?: string; readonly type?: string; readonly areReserved?: true };
  /** Cancels reading notes for the query, and embedding it. */
  readonly signal?: AbortSignal;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Number of matches before the limit. If pages follow an earlier order, includes notes that no longer match. */
  readonly total: number;
  /** Whether `total` is a lower bound because possible matches after a full page were not examined. */
  readonly isLowerBound: boolean;
  /** How likely any note answers the query, 0 to 1; null for a further page, and for literal text. */
  readonly confidence: number | null;
  /** The mode that was used. */
  readonly mode: Exclude<SearchMode, 'auto'>;
  /** Whether the index answered, or the notes were read because it is incomplete. */
  readonly by: 'index' | 'scan';
  /** How much the words of the query tell; none when it was taken as a literal text. */
  readonly rarities: readonly WordRarity[];
  /** Parts of the query that may be misunderstood, and what this answer lacks. */
  readonly warnings: readonly string[];
}

/** The notes that the first scan has not put into the graph yet. */
export interface UnreadNotes {
  /**
   * Calls `look` with what is searched of each of them, as they are at the moment: the bytes are valid until it returns. `indexed`: as many of
   * them are parsed.
   */
  each(
    look: (path: NotePath, bytes: Buffer, file: { readonly indexed: number; readonly size: number; isHidden(): boolean }) => void,
  ): Promise<void>;
  /** Puts some of them into the graph. */
  read(paths: readonly NotePath[]): Promise<void>;
  /** Lets the first scan rest during some work, within limits. What is saved now is among these notes before it begins. */
  pauseDuring<T>(work: () => Promise<T>): Promise<T>;
}

/** The search interface for operations, usable from the start. */
export interface SearchView {
  search(request: SearchRequest): Promise<SearchAnswer>;
  readonly state: 'building' | 'ready' | 'off';
}
