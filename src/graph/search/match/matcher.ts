import type { GraphView, NoteEntry } from '../../view.ts';
import type { TermQuery } from '../inverted/text-index.ts';
import { phraseClauses } from '../query/clauses.ts';
import type { IndexTest, SearchQuery, Test } from '../query/query.ts';
import { allNames } from '../search-document.ts';
import { isAscii } from '../words/fold-text.ts';
import { pairsOf } from '../words/pairs.ts';
import { phraseMatcher } from '../words/phrase.ts';
import { holdsClause, toClauseScan } from '../words/term-scan.ts';
import type { ClauseScan } from '../words/term-scan.ts';
import { fieldTest, PROPERTIES_COST, propertyTest } from './conditions.ts';
import type { Answers } from './known-answers.ts';
import { partsOf } from './parts.ts';

/** A note as seen by a query: its words from the index or its text, everything else lazily. */
export interface NoteFacts {
  readonly entry: NoteEntry;
  /** Returns what a test of its entry says, or said before; absent where nothing is kept. */
  recall?(answers: Answers, test: (entry: NoteEntry) => boolean): boolean;
  /** Returns whether the note, or the examined part, has a word of the query. */
  has(word: number): boolean;
  /** Returns the text of the file, or of the examined part. */
  text(): string;
  /** Returns the title and other names; empty for a part. */
  names(): string;
  /** Records the cost of a test, in characters searched in the same time. */
  spend(characters: number): void;
}

/** Tests whether a note matches a query. Shared by index and scan, so that both find the same notes. */
export type Matcher = (note: NoteFacts) => boolean;

/** Most that a test costs that asks for nothing but words, and entries by tests whose answers are kept. */
export const RECALLED = 1;
/** Cost from which a test reads notes. */
export const READS_NOTES = 3;

interface Compiled {
  readonly holds: Matcher;
  /** Expensive tests run last; from `READS_NOTES` on they read the note. */
  readonly cost: number;
}

const TRUE: IndexTest = { kind: 'all', of: [] };

/** `answersOf`: what is known of a test of entries, for notes that can recall it. */
export function queryMatcher(
  graph: GraphView,
  { test, words }: Pick<SearchQuery, 'test' | 'words'>,
  answersOf?: (test: string) => Answers,
): Compiled {
  const scans = new Map<number, ClauseScan>();
  const scanOf = (word: number): ClauseScan => {
    const scan = scans.get(word) ?? toClauseScan(words[word] ?? { alternatives: [], isPrefix: false });
    scans.set(word, scan);
    return scan;
  };
  return compile(test, { graph, scanOf, answersOf });
}

interface Means {
  readonly graph: GraphView;
  readonly scanOf: (word: number) => ClauseScan;
  readonly answersOf?: ((test: string) => Answers) | undefined;
  /** Whether the test is for parts, so that conditions apply to their note. */
  readonly isPart?: boolean;
}

function compile(test: Test | IndexTest, means: Means): Compiled {
  switch (test.kind) {
    case 'all':
    case 'any': {
      const parts = test.of.map((each) => compile(each, means)).sort((a, b) => a.cost - b.cost);
      const holds: Matcher =
        test.kind === 'all' ? (note) => parts.every((part) => part.holds(note)) : (note) => parts.some((part) => part.holds(note));
      return { holds, cost: parts.at(-1)?.cost ?? 0 };
    }
    case 'not': {
      const { holds, cost } = compile(test.of, means);
      return { holds: (note) => !holds(note), cost };
    }
    case 'word':
      return { holds: (note) => note.has(test.word), cost: 0 };
    case 'property': {
      const holds = propertyTest(test);
      const keys = means.isPart === true ? [] : test.words;
      return { holds: (note) => keys.every((word) => note.has(word)) && holds(paid(note, PROPERTIES_COST).entry), cost: 2 };
    }
    case 'phrase': {
      const holds = phraseMatcher(test.text);
      return {
        holds: (note) => test.words.every((word) => note.has(word)) && (holds(note.text()) || holds(note.names())),
        cost: READS_NOTES,
      };
    }
    case 'pairs':
      // The index has checked these.
      return { holds: () => true, cost: 0 };
    case 'part':
      return { holds: partMatcher(test, means), cost: READS_NOTES + 1 };
    default: {
      const holds = fieldTest(means.graph, test);
      const answers = means.answersOf?.(`${test.kind}:${test.value}`);
      return { holds: (note) => (answers === undefined ? undefined : note.recall?.(answers, holds)) ?? holds(note.entry), cost: 1 };
    }
  }
}

function partMatcher(test: Extract<Test, { kind: 'part' }>, means: Means): Matcher {
  const { holds } = compile(test.of, { ...means, isPart: true });
  const { holds: mayHold } = compile(possible(test), means);
  return (note) => {
    // For most notes the words alone exclude every part.
    if (!mayHold(note)) return false;
    const text = note.text();
    return partsOf(text, test.part).some((part) => holds(partFacts(paid(note, part.length), part, means)));
  };
}

function partFacts(note: NoteFacts, part: string, { scanOf }: Means): NoteFacts {
  return {
    entry: note.entry,
    has: (word) => holdsClause(part, scanOf(word)),
    text: () => part,
    names: () => '',
    spend: (characters) => note.spend(characters),
  };
}

function paid(note: NoteFacts, characters: number): NoteFacts {
  note.spend(characters);
  return note;
}

/** Returns a cached function for the names of a note. */
export function namesOf(entry: NoteEntry): () => string {
  let names: string | null = null;
  return () => (names ??= allNames(entry));
}

/** Tags whose words the index is asked for. */
const MAX_TAGS = 4;

/**
 * Returns what the index is asked: the words that every note with a required tag has are required too, so that what comes back is little more
 * than what has the tags. Not so where notes are read: of those behind the page few are, as most of them lack the tag.
 */
export function toTermQuery({ words, ranked, full, test }: SearchQuery): TermQuery {
  const inTags = readsNotes(test) ? [] : requiredTags(test).slice(0, MAX_TAGS).flatMap(phraseClauses);
  if (inTags.length === 0) return { words, ranked, full, test: possible(test) };
  const tests = inTags.map((_, at) => toWord(words.length + at));
  return { words: [...words, ...inTags], ranked, full, test: { kind: 'all', of: [possible(test), ...tests] } };
}

/** Returns whether a note has to be read to find out whether it matches. */
function readsNotes(test: Test): boolean {
  if (test.kind === 'all' || test.kind === 'any') return test.of.some(readsNotes);
  return test.kind === 'not' ? readsNotes(test.of) : test.kind === 'phrase' || test.kind === 'part';
}

/** Returns tags that every match has, in ASCII: only there a tag and its words are compared alike. */
function requiredTags(test: Test): readonly string[] {
  if (test.kind === 'all') return test.of.flatMap(requiredTags);
  return test.kind === 'tag' && isAscii(test.value) ? [test.value] : [];
}

/**
 * Returns a test on words and pairs only that holds wherever the given one does, for the index. A part has only words of its note but not
 * all of them, so negations inside parts are dropped.
 */
export function possible(test: Test, isPart = false): IndexTest {
  switch (test.kind) {
    case 'all':
    case 'any':
      return { kind: test.kind, of: test.of.map((each) => possible(each, isPart)) };
    case 'not':
      return isPart ? TRUE : { kind: 'not', of: certain(test.of) };
    case 'word':
      return test;
    case 'phrase':
      return { kind: 'all', of: [...test.words.map(toWord), { kind: 'pairs', pairs: pairsOf(test.text) }] };
    case 'property':
      return { kind: 'all', of: test.words.map(toWord) };
    case 'part':
      return possible(test.of, true);
    default:
      return TRUE;
  }
}

function toWord(word: number): IndexTest {
  return { kind: 'word', word };
}

const FALSE: IndexTest = { kind: 'any', of: [] };

/** Returns a test on words only that holds only where the given one does. */
function certain(test: Test): IndexTest {
  switch (test.kind) {
    case 'all':
    case 'any':
      return { kind: test.kind, of: test.of.map((each) => certain(each)) };
    case 'not':
      return { kind: 'not', of: possible(test.of) };
    case 'word':
      return test;
    default:
      return FALSE;
  }
}
