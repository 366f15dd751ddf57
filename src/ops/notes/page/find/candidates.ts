import type { SearchAnswer, SearchHit } from '../../../../graph/search/search.ts';
import type { NoteEntry } from '../../../../graph/view.ts';
import { UPDATED_KEYS } from '../../../../note/frontmatter/reserved-keys.ts';
import { folderOf } from '../../../../note/path.ts';
import { compareNames, compareText } from '../../../../note/text.ts';
import { readTime } from '../../../node-properties.ts';
import type { OperationContext } from '../../../operation.ts';
import { kindOf } from './note-kind.ts';
import type { NoteKind } from './note-kind.ts';
import type { SearchInput } from './search-input.ts';

/** A note that a search finds. */
export interface Candidate {
  readonly entry: NoteEntry;
  readonly kind: NoteKind;
  readonly hit: SearchHit;
}

/** The notes that a search finds, in the order in which they are shown, and what they have in common. */
export interface Candidates {
  readonly notes: readonly Candidate[];
  readonly counts: Readonly<Record<NoteKind, number>>;
  readonly facets: { readonly folders: readonly Facet[]; readonly tags: readonly Facet[]; readonly types: readonly Facet[] };
  readonly found: SearchAnswer;
}

export interface Facet {
  readonly name: string;
  readonly count: number;
}

/** Notes that are ordered, counted and filtered. Where each has to be read to know whether it matches, fewer are. */
const MAX_CANDIDATES = 1_000;
const MAX_READ_CANDIDATES = 150;
const MAX_MEANING_CANDIDATES = 60;
const MAX_FACETS = 40;
export const MAX_SNIPPET_CHARACTERS = 220;
/** Share of the notes that have to be embedded for a search by meaning. */
const MIN_COVERAGE = 0.5;
const DAY_MS = 24 * 60 * 60 * 1000;
/** What makes a search read notes: phrases, exclusions, conditions. */
const READS_NOTES = /["\-:[\]()]/;

/** Searches, and filters and sorts what is found. The facets are of what is found without a folder, tag or type. */
export async function findCandidates(context: OperationContext, input: SearchInput): Promise<Candidates> {
  const { vault } = context;
  const mode = input.mode === 'meaning' && !(await isPrepared(context)) ? 'words' : input.mode;
  const found = await vault.search.search(toRequest(context, { ...input, mode }));
  const wanted = toCandidates(context, found).filter(({ entry }) => isWanted(entry, input));
  // Another folder, tag or type can be chosen in place of the one that narrows the search.
  const { folder, tag, type, ...others } = input;
  const isNarrowed = [folder, tag, type].some((each) => each !== undefined);
  const all = isNarrowed ? await vault.search.search(toRequest(context, { ...others, mode: 'words' })) : found;
  const counts: Record<NoteKind, number> = { note: 0, task: 0, memory: 0, fact: 0 };
  for (const { kind } of wanted) counts[kind] += 1;
  return { notes: sortNotes(wanted, input), counts, facets: facetsOf(toCandidates(context, all)), found };
}

function toCandidates({ vault, config }: OperationContext, { hits }: SearchAnswer): readonly Candidate[] {
  return hits.flatMap((hit) => {
    const entry = vault.graph.get(hit.path);
    return entry === null ? [] : [{ entry, hit, kind: kindOf(config, entry.path) }];
  });
}

/** Returns whether enough notes are embedded for a search by meaning to find more than one by words. */
async function isPrepared({ vault: { search } }: OperationContext): Promise<boolean> {
  await search.embeddings.ensureLoaded();
  return search.embeddings.coverage >= MIN_COVERAGE;
}

function toRequest(
  context: OperationContext,
  { query, mode, folder, tag, type, since, sort }: SearchInput,
): Parameters<OperationContext['vault']['search']['search']>[0] {
  const isByWords = mode === 'words';
  const isOrdered = sort !== 'best' || since !== undefined;
  const max = READS_NOTES.test(query) && !isOrdered ? MAX_READ_CANDIDATES : MAX_CANDIDATES;
  const isNarrowed = folder !== undefined || type !== undefined;
  return {
    query: tag === undefined ? query : `tag:"${tag.replaceAll('"', '')}" ${query}`,
    mode: isByWords ? 'keyword' : mode === 'auto' ? 'auto' : 'hybrid',
    limit: isByWords ? max : MAX_MEANING_CANDIDATES,
    // By meaning, notes are read anyway.
    snippetLength: isByWords ? 0 : MAX_SNIPPET_CHARACTERS,
    ...(isNarrowed ? { filter: { ...(folder === undefined ? {} : { under: folder }), ...(type === undefined ? {} : { type }) } } : {}),
    signal: context.signal,
  };
}

/** `tag` is checked again, since `OR` in the query may bring in notes without it. */
function isWanted(entry: NoteEntry, { tag, since }: SearchInput): boolean {
  if (tag !== undefined && !entry.tags.some((each) => isTag(each, tag))) return false;
  return since === undefined || changedAt(entry) >= Date.now() - since * DAY_MS;
}

function isTag(tag: string, wanted: string): boolean {
  const [own, other] = [tag.toLowerCase(), wanted.replace(/^#/, '').toLowerCase()];
  return own === other || own.startsWith(`${other}/`);
}

/** Returns when a note was changed, in milliseconds, as its page tells it. */
function changedAt({ properties, stamp }: NoteEntry): number {
  const stated = Date.parse(readTime(properties, UPDATED_KEYS) ?? '');
  return Number.isNaN(stated) ? Number(stamp.mtimeNs / 1_000_000n) : stated;
}

function sortNotes(notes: readonly Candidate[], { sort }: SearchInput): readonly Candidate[] {
  if (sort === 'best') return notes;
  if (sort === 'title')
    return notes.toSorted((a, b) => compareNames(a.entry.title, b.entry.title) || compareText(a.entry.path, b.entry.path));
  const times = new Map(notes.map((note) => [note, changedAt(note.entry)]));
  return notes.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || compareText(a.entry.path, b.entry.path));
}

function facetsOf(notes: readonly Candidate[]): Candidates['facets'] {
  const [folders, tags, types] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { entry } of notes) {
    for (let folder = folderOf(entry.path); folder !== ''; folder = folderOf(folder)) add(folders, folder);
    for (const tag of entry.tags) add(tags, tag);
    if (entry.type !== null) add(types, entry.type);
  }
  const top = (counts: ReadonlyMap<string, number>): readonly Facet[] =>
    [...counts]
      .sort(([a, one], [b, other]) => other - one || compareText(a, b))
      .slice(0, MAX_FACETS)
      .map(([name, count]) => ({ name, count }));
  return { folders: top(folders), tags: top(tags), types: top(types) };
}
