import { markerOf, excerptFor, toSnippetQuery } from '../../../../graph/search/snippet.ts';
import { parseSearchQuery } from '../../../../graph/search/query/parse-query.ts';
import { folderOf } from '../../../../note/path.ts';
import type { AttachmentHit } from '../../../../vault/attachments/attachments.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { isUnsure } from '../../search-confidence.ts';
import { plainLine } from '../plain-line.ts';
import { findCandidates, MAX_SNIPPET_CHARACTERS } from './candidates.ts';
import type { Candidate, Candidates } from './candidates.ts';
import { completeQuery } from './complete-query.ts';
import type { NoteKind } from './note-kind.ts';
import { searchInput } from './search-input.ts';
import type { SearchInput } from './search-input.ts';

/** A range of a text that matches the query. */
type Mark = readonly [start: number, end: number];

/** How far the notes are prepared for search by meaning, and whether it was used. */
interface Meaning {
  readonly is_used: boolean;
  readonly state: 'off' | 'loading' | 'ready' | 'failed';
  readonly embedded: number;
  readonly all: number;
  /** The only language that can be searched by meaning, if there is only one. */
  readonly language?: 'en';
  readonly reason?: string;
}

/** Tasks, memories and facts that are shown below the first notes, of each kind. */
const MAX_OTHERS = 3;
/** An incomplete condition at the end: `tag:`, or a property that is not closed. */
const UNFINISHED = /(?:^|(?<=[\s(]))-?(?:\[[^[\]]*|(?:tag|path|type|file|line|block|content|section|task|task-todo|task-done):"?)$/u;
/** Says to agents how they were answered. The page shows that itself. */
const ABOUT_MODE = /^(?:Searched by |Of their passages )/;

/** Searches while the user types: notes first, then a few tasks, memories and facts. */
export const suggest = defineOperation({
  name: 'suggest',
  toolset: null,
  title: 'Search as you type',
  summary:
    'Notes, tasks, facts and memories that a query finds, with the hits marked, and what its last word may go on to be. A page of notes; a few of the others.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: searchInput,
  async run(context, input) {
    const { vault } = context;
    const { query: typed, offset, limit, mode } = input;
    const isPartly = vault.health.readingProgress() !== null;
    const completions = offset === 0 && mode === 'words' ? completeQuery(vault, typed) : [];
    const query = typed.replace(UNFINISHED, '');
    if (query.trim() === '') return { ...NOTHING, completions };
    const hasFiles = offset === 0 && mode === 'words' && (input.kind ?? 'note') === 'note';
    const files = hasFiles ? await vault.search.attachments.search(query) : { hits: [], warnings: [] };
    const candidates = await findCandidates(context, { ...input, query });
    const { notes, counts, facets, found } = candidates;
    const main = mainKind(candidates, input);
    const own = notes.filter(({ kind }) => kind === main);
    const shown = [...own.slice(offset, offset + limit), ...firstOfOthers(notes, main, input)];
    const toHit = presenter(context, query, candidates);
    return {
      completions,
      hits: shown.map(toHit),
      files: files.hits.map((hit) => toFile(hit, query)),
      kind: main,
      counts,
      facets,
      total: counts[main],
      is_lower_bound: isPartly || found.isLowerBound || found.total > found.hits.length,
      ...(offset + limit < own.length ? { next_offset: offset + limit } : {}),
      is_unsure: isUnsure(found),
      meaning: describeMeaning(context, found.mode),
      warnings: [...found.warnings, ...files.warnings].filter((warning) => !ABOUT_MODE.test(warning)),
    };
  },
});

const NOTHING = {
  hits: [],
  files: [],
  kind: 'note' as NoteKind,
  counts: { note: 0, task: 0, memory: 0, fact: 0 },
  facets: { folders: [], tags: [], types: [] },
  total: 0,
  is_lower_bound: false,
  is_unsure: false,
  meaning: { is_used: false, state: 'loading', embedded: 0, all: 0 } as Meaning,
  warnings: [],
};

/** Returns the kind that is shown page by page: the one that was asked for, else notes if there are any. */
function mainKind({ notes, counts }: Candidates, { kind }: SearchInput): NoteKind {
  return kind ?? (counts.note > 0 ? 'note' : (notes[0]?.kind ?? 'note'));
}

function firstOfOthers(notes: readonly Candidate[], main: NoteKind, { kind: asked, offset }: SearchInput): readonly Candidate[] {
  if (asked !== undefined || offset > 0) return [];
  const kinds = [...new Set(notes.map(({ kind }) => kind))].filter((kind) => kind !== main);
  return kinds.flatMap((kind) => notes.filter((note) => note.kind === kind).slice(0, MAX_OTHERS));
}

/** Returns a function that shows a note with the words of the query where it has them. */
function presenter(context: OperationContext, query: string, { found }: Candidates) {
  const mark = markerOf(query);
  const words = toSnippetQuery(parseSearchQuery(query), found.rarities);
  const marksIn = (text: string): readonly Mark[] => mark(text).map(({ start, end }) => [start, end] as const);
  const snippetOf = ({ hit, entry }: Candidate): string => {
    if (found.mode !== 'keyword') return hit.snippet;
    const text = context.vault.notes.readTextUnstable(entry.path);
    return text === null ? '' : excerptFor(text, words, { length: MAX_SNIPPET_CHARACTERS, whole: -1 }).snippet;
  };
  return (candidate: Candidate) => {
    const { entry, kind, hit } = candidate;
    const text = readableSnippet(snippetOf(candidate), entry.title);
    return {
      kind,
      path: entry.path,
      title: entry.title,
      title_marks: marksIn(entry.title),
      folder: folderOf(entry.path),
      type: entry.type,
      snippet: text,
      marks: marksIn(text),
      score: hit.score,
    };
  };
}

/** Returns a snippet as a reader sees it, without the heading that repeats the title of its note. */
function readableSnippet(snippet: string, title: string): string {
  const [first, heading = ''] = /^# ([^\n]*)\n/.exec(snippet) ?? [''];
  const body = heading.trim() === title ? snippet.slice(first.length) : snippet;
  return withoutCutMarks(plainLine(readableCutLinks(body)).text);
}

/** Leaves of a link that the snippet cuts, at its beginning or its end, what a reader sees of it. */
function readableCutLinks(snippet: string): string {
  return snippet
    .replace(/^…[^[\]|\n]*\|(?=[^[\]|\n]*\]\])/, '…')
    .replace(/\[\[[^[\]|\n]*\|(?=[^[\]|\n]*…$)/, '')
    .replace(/^…([^[\]|#\n]*)#(?=[^[\]|\n]*\]\])/, '…$1 > ')
    .replace(/\[\[([^[\]|#\n]*)#(?=[^[\]|\n]*…$)/, '$1 > ');
}

/** Removes Markdown that a snippet has only a part of: a heading or a list item behind its beginning, a link that it cuts. */
function withoutCutMarks(text: string): string {
  const shown = text.replace(/^…(?:(?:#{1,6}|[-*+>]|\[.\]) |\[!\w+\][+-]? ?)/, '…').replace(/\]\([^()\s]*\)?/g, '');
  const open = shown.lastIndexOf('[');
  return open !== -1 && shown.endsWith('…') && !shown.includes(']', open) ? shown.slice(0, open) + shown.slice(open + 1) : shown;
}

function toFile({ path, page, snippet }: AttachmentHit, query: string) {
  const shown = snippet.replace(/\s+/g, ' ');
  const marks = markerOf(query)(shown).map(({ start, end }): Mark => [start, end]);
  return { path, ...(page === undefined ? {} : { page }), snippet: shown, marks };
}

function describeMeaning({ vault }: OperationContext, used: Candidates['found']['mode']): Meaning {
  const { state, notes, language, reason } = vault.search.embeddings.status();
  return {
    is_used: used === 'hybrid' || used === 'semantic',
    state,
    ...notes,
    ...(language === undefined ? {} : { language }),
    ...(reason === undefined ? {} : { reason }),
  };
}
