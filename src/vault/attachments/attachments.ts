import { setTimeout } from 'node:timers/promises';
import { parseSearchQuery } from '../../graph/search/query/parse-query.ts';
import type { SearchQuery, Test } from '../../graph/search/query/query.ts';
import { snippetOf, toSnippetQuery } from '../../graph/search/snippet.ts';
import { foldText } from '../../graph/search/words/fold-text.ts';
import { phraseMatcher } from '../../graph/search/words/phrase.ts';
import { extensionOf, fileName } from '../../note/path.ts';
import type { AttachmentTexts, TextCounts } from './attachment-texts.ts';
import type { PageIndex, PageSource } from './page-index.ts';
import type { KnownText } from './text-cache.ts';

/** A page of an attachment that a query found. */
export interface AttachmentHit {
  readonly path: string;
  /** From 1; absent for a picture. */
  readonly page?: number;
  /** From 0 to 1, as the scores of notes. */
  readonly score: number;
  readonly snippet: string;
  /** The link to it that a note would contain: `![[x.pdf#page=3]]`. */
  readonly link: string;
}

/** What a query found in attachments. */
export interface AttachmentAnswer {
  readonly hits: readonly AttachmentHit[];
  readonly warnings: readonly string[];
}

/** The texts of PDFs and pictures: searched by words, with the rules of search in notes. */
export interface Attachments {
  /** Whether pictures are searched too. */
  readonly hasPictures: boolean;
  /** Finds the best pages. None for a query with conditions that only notes can meet, such as tags. */
  search(query: string): Promise<AttachmentAnswer>;
  /** Returns the text of a file, by pages; null if no text of it is read. */
  textOf(path: string): KnownText | null;
  /** Returns how many files are searched, wait or have no text. */
  status(): TextCounts;
  /** Returns the same for the files in some folders, with an index of its own. */
  limitTo(isInside: (path: string) => boolean): Attachments;
}

const MAX_HITS = 5;
/** A long document must not hide the others. */
const MAX_HITS_A_FILE = 2;
/** Pages whose text is looked at, where words alone do not decide. */
const MAX_EXAMINED = 200;
/** Less than about half of the query's words, weighted by their rarity, is no hit. */
const MIN_SCORE = 0.1;
const MAX_SNIPPET_CHARACTERS = 300;
/** How long a query waits for texts that are not indexed yet. */
const MAX_INDEXING_MS = 3_000;

/** Creates the search of attachments in a vault. Nothing is indexed before the first query. */
export function openAttachments(texts: AttachmentTexts, isInside: (path: string) => boolean = () => true): Attachments {
  const source: PageSource = {
    texts: () => new Map([...texts.texts()].filter(([path]) => isInside(path))),
    pages: (key) => texts.pages(key),
  };
  let opened: Promise<PageIndex> | null = null;
  const openIndex = (): Promise<PageIndex> => (opened ??= import('./page-index.ts').then(({ PageIndex: Index }) => new Index(source)));

  return {
    hasPictures: texts.hasPictures,
    async search(text) {
      const query = parseSearchQuery(text);
      if (query.ranked.length === 0 || !isForFiles(query.test)) return { hits: [], warnings: [] };
      const { waiting } = texts.counts(isInside);
      const unread = waiting === 0 ? [] : [`${waiting} of the PDFs and pictures could not be searched yet.`];
      // Most vaults have none, and need no index.
      if (source.texts().size === 0) return { hits: [], warnings: unread };
      const index = await openIndex();
      const isIndexed = await Promise.race([index.update().then(() => true), setTimeout(MAX_INDEXING_MS, false, { ref: false })]);
      const warnings = [...unread, ...(isIndexed ? [] : ['Not all PDFs could be searched in time; ask again in a moment.'])];
      return { hits: findPages(query, index), warnings };
    },
    textOf: (path) => (isInside(path) ? texts.textOf(path) : null),
    status: () => texts.counts(isInside),
    limitTo: (isIn) => openAttachments(texts, (path) => isInside(path) && isIn(path)),
  };

  function findPages(query: SearchQuery, index: PageIndex): readonly AttachmentHit[] {
    const hits: AttachmentHit[] = [];
    const counts = new Map<string, number>();
    const keys = texts.texts();
    const shown = toSnippetQuery(query);
    let examined = 0;
    for (const ranked of index.rank(query)) {
      const { path, page, score } = ranked;
      if (hits.length >= MAX_HITS || examined >= MAX_EXAMINED || score < MIN_SCORE) break;
      const key = keys.get(path);
      if (key === undefined || (counts.get(path) ?? 0) >= MAX_HITS_A_FILE) continue;
      examined += 1;
      const body = texts.pages(key)?.[page - 1] ?? '';
      if (!matches(query.test, { path, body, has: (word) => ranked.has(word) })) continue;
      counts.set(path, (counts.get(path) ?? 0) + 1);
      const place = extensionOf(path) === 'pdf' ? { page } : {};
      hits.push({ path, ...place, score, snippet: snippetOf(body, shown, MAX_SNIPPET_CHARACTERS), link: linkTo(path, place.page) });
    }
    return hits;
  }
}

/** By its path, which always means this file. */
function linkTo(path: string, page: number | undefined): string {
  return `![[${path}${page === undefined ? '' : `#page=${page}`}]]`;
}

/** Returns whether a file that is no note can meet the conditions of a query. */
function isForFiles(test: Test): boolean {
  switch (test.kind) {
    case 'all':
    case 'any':
      return test.of.every(isForFiles);
    case 'not':
      return isForFiles(test.of);
    case 'part':
      return test.part === 'content' && isForFiles(test.of);
    case 'tag':
    case 'type':
    case 'property':
      return false;
    default:
      return true;
  }
}

interface Page {
  readonly path: string;
  readonly body: string;
  has(word: number): boolean;
}

function matches(test: Test, page: Page): boolean {
  switch (test.kind) {
    case 'all':
      return test.of.every((each) => matches(each, page));
    case 'any':
      return test.of.some((each) => matches(each, page));
    case 'not':
      return !matches(test.of, page);
    case 'part':
      return matches(test.of, page);
    case 'word':
      return page.has(test.word);
    case 'phrase': {
      const holds = phraseMatcher(test.text);
      return holds(page.body) || holds(fileName(page.path));
    }
    case 'path':
      return foldText(page.path).includes(foldText(test.value));
    case 'file':
      return foldText(fileName(page.path)).includes(foldText(test.value));
    default:
      return false;
  }
}
