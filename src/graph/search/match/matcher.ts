import type { GraphView, NoteEntry } from '../../view.ts';
import type { IndexTest, SearchQuery, Test } from '../query/query.ts';
import { allNames } from '../search-document.ts';
import { pairsOf } from '../words/pairs.ts';
import { phraseMatcher } from '../words/phrase.ts';
import { holdsClause, toClauseScan } from '../words/term-scan.ts';
import type { ClauseScan } from '../words/term-scan.ts';
import { fieldTest, PROPERTIES_COST, propertyTest } from './conditions.ts';
import { partsOf } from './parts.ts';

/** A note as a query looks at it: its words by the index or by its text, all else when it comes to that. */
export interface NoteFacts {
  readonly entry: NoteEntry;
  /** Whether the note, or the part of it that is looked at, has a word of the query. */
  has(word: number): boolean;
  /** The file, or the part of it that is looked at. */
  text(): string;
  /** The title and other names; none for a part. */
  names(): string;
  /** Told what a test cost, in characters that could be looked through meanwhile. */
  spend(characters: number): void;
}

/** Whether a note is what a query asks for. Index and scan both ask here, so that both find the same notes. */
export type Matcher = (note: NoteFacts) => boolean;

/** The cost of a test from which on it reads notes. */
export const READS_NOTES = 3;

interface Compiled {
  readonly holds: Matcher;
  /** What is asked last, as it costs most: from `READS_NOTES` on the note is read. */
  readonly cost: number;
}

/** Makes the test of a query ready to be asked of many notes. */
export function queryMatcher(graph: GraphView, { test, words }: Pick<SearchQuery, 'test' | 'words'>): Compiled {
  const scans = new Map<number, ClauseScan>();
  const scanOf = (word: number): ClauseScan => {
    const scan = scans.get(word) ?? toClauseScan(words[word] ?? { alternatives: [], isPrefix: false });
    scans.set(word, scan);
    return scan;
  };
  return compile(test, { graph, scanOf });
}

interface Means {
  readonly graph: GraphView;
  readonly scanOf: (word: number) => ClauseScan;
  /** What is compiled is asked of parts, and conditions of the note they are of. */
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
      // The index has looked at them.
      return { holds: () => true, cost: 0 };
    case 'part':
      return { holds: partMatcher(test, means), cost: READS_NOTES + 1 };
    default: {
      const holds = fieldTest(means.graph, test);
      return { holds: ({ entry }) => holds(entry), cost: 1 };
    }
  }
}

function partMatcher(test: Extract<Test, { kind: 'part' }>, means: Means): Matcher {
  const { holds } = compile(test.of, { ...means, isPart: true });
  const { holds: mayHold } = compile(possible(test), means);
  return (note) => {
    // Of most notes their words tell that no part can have them.
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

/** The title and other names of a note, made once. */
export function namesOf(entry: NoteEntry): () => string {
  let names: string | null = null;
  return () => (names ??= allNames(entry));
}

/**
 * A test of words and their pairs alone that holds wherever the given one does: what the index can tell by itself. A part has only words that its note has,
 * but lacks some of them, so what must not be in a part is not asked of the note.
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

const TRUE: IndexTest = { kind: 'all', of: [] };
const FALSE: IndexTest = { kind: 'any', of: [] };

/** A test of words alone that holds only where the given one does. */
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
