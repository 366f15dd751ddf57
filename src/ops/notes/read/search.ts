import * as z from 'zod';
import type { PlaceInNote } from '../../../graph/search/place-in-note.ts';
import type { Explained, SearchAnswer } from '../../../graph/search/search.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { listSections, nameSection } from '../../../note/body/find-heading.ts';
import { isUnclearPath } from '../../../note/body/heading-path.ts';
import { RouxError } from '../../../errors.ts';
import type { AttachmentHit } from '../../../vault/attachments/attachments.ts';
import { showNoteFreshness } from '../../freshness/show.ts';
import { mayBePath, tellNotesAbout } from '../../names/code-notes.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { TRUNCATED_SUFFIX, takeWhileFits } from '../../shorten.ts';
import { tellWhatIsNearest, warnOfLowConfidence } from '../search-confidence.ts';
import { reservedInput } from '../../okf/reserved-input.ts';
import { fieldsInput, LIST_CONTENT_CHARACTERS, toNodeList, warnOfMore } from '../../lists/node-list.ts';
import type { Explanation, ListExtras } from '../../lists/node-list.ts';

/** Limit of what is found in files, in characters: paths may be long. */
const MAX_FILES_CHARACTERS = 2_500;

/** A page of a PDF, or a picture, in the part `files` of the answer. */
export type FoundFile = AttachmentHit;

const foundFile = z.object({
  path: z.string(),
  page: z.int().min(1).optional().describe('Absent for a picture'),
  score: z.number().min(0).max(1),
  snippet: z.string(),
  link: z.string().describe('![[x.pdf#page=3]], as a note embeds it'),
});

/** Searches the whole vault by words, by meaning, by both, or for literal text. The default is both if notes are embedded. */
export const search = defineOperation({
  name: 'search',
  toolset: 'vault',
  title: 'Search notes',
  summary:
    'Find notes by words and meaning, "phrase", -not, OR, ( ), tag:x path: file: type: line:(a b) section: task-todo:, [property:value] [n:>3]; exact: literal text.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    query: z.string().max(2000).describe('Question, words or filters'),
    limit: z.int().min(1).max(50).default(10).describe('Hits'),
    offset: z.int().min(0).default(0).describe('Hits to skip'),
    mode: z.enum(['hybrid', 'keyword', 'semantic', 'exact']).optional().describe('default hybrid: words and meaning'),
    include_content: z.boolean().default(true).describe('false: no text of notes'),
    fields: fieldsInput,
    min_confidence: z.number().min(0).max(1).optional().describe('0 to 1: no hits below it; try 0.2'),
    explain: z.boolean().default(false).describe('Words, line, parts of scores'),
    reserved: reservedInput,
    hops: z.int().min(0).max(1).default(0).describe('1: also what the best hits link to or name'),
  }),
  // What needs the links of notes, or all that they say of code, waits.
  early: ({ query, offset, mode, hops, fields = [], reserved }) =>
    offset > 0 || mode === 'semantic' || hops > 0 || reserved || fields.includes('links') || mayBePath(query) ? null : 'search',
  parts: { files: z.array(foundFile).describe('Pages of PDFs, and pictures, that the words find; absent where there are none') },
  async run(
    context,
    { query, limit, offset, mode, min_confidence: least = 0, explain, hops, include_content: includeContent, fields, reserved },
  ) {
    if (query.trim() === '') throw new RouxError('INVALID_PARAMS', 'query must not be empty; give at least one word.');
    await context.vault.refresh('changed');
    const show = includeContent
      ? { snippetLength: LIST_CONTENT_CHARACTERS - TRUNCATED_SUFFIX.length, wholeLength: LIST_CONTENT_CHARACTERS }
      : { snippetLength: 0 };
    const found = await context.vault.search.search({
      query,
      mode: reserved ? (mode === 'exact' ? 'exact' : 'keyword') : (mode ?? 'auto'),
      ...(reserved ? { filter: { areReserved: true } } : {}),
      hops: hops === 1 && !reserved ? 1 : 0,
      isExplained: explain,
      limit,
      offset,
      caller: context.session,
      signal: context.signal,
      ...show,
    });
    const { hits, total, isLowerBound, confidence } = found;
    for (const warning of found.warnings) context.warn(warning);
    if (offset === 0 && !reserved) await tellNotesAbout(context, query);
    if (offset === 0 && !reserved && mode !== 'exact' && mode !== 'semantic') await includeFiles(context, query);
    if (confidence !== null && confidence < least) {
      context.warn(tellWhatIsNearest(context.vault, { confidence, least, hits }));
      return [];
    }
    const low = warnOfLowConfidence(found);
    if (low !== null) context.warn(low);
    const listed = hits.flatMap(({ path, at, score, snippet, isWhole, place, via, explained, byWords }, index) => {
      const entry = context.vault.graph.get(path);
      const content = isWhole ? snippet : `${snippet.replace(/…$/, '')}${TRUNCATED_SUFFIX}`;
      if (entry === null) return [];
      const where = place === undefined ? {} : showPlace(context, entry, place);
      const reached = via === undefined ? {} : { via };
      const sure = index > 0 || confidence === null ? {} : { confidence };
      const why = explained === undefined ? {} : { explained: toExplanation(explained, { mode: found.mode, byWords }) };
      const freshness = showNoteFreshness(context.vault, entry);
      return [{ entry, at, score, freshness, ...sure, ...where, ...reached, ...why, ...(includeContent ? { snippet: content } : {}) }];
    });
    const shown = toNodeList(context, listed, { contentLength: LIST_CONTENT_CHARACTERS, includeContent, fields });
    // The offset also passes hits that no longer match.
    const last = shown.length < listed.length ? listed[shown.length - 1]?.at : hits.at(-1)?.at;
    warnOfMore(context, { kind: 'notes match', total, isLowerBound, offset, shown: last === undefined ? 0 : last + 1 - offset });
    return shown;
  },
});

/** Adds the pages of PDFs, and the pictures, that a query finds to the answer as `files`; nothing where there are none. */
async function includeFiles(context: OperationContext, query: string): Promise<void> {
  const { hits, warnings } = await context.vault.search.attachments.search(query);
  for (const warning of warnings) context.warn(warning);
  const shown = takeWhileFits(hits, MAX_FILES_CHARACTERS);
  if (shown.length > 0) context.include('files', shown);
}

/** Names the section of a hit as `get_node` finds it. */
function showPlace({ vault }: OperationContext, entry: NoteEntry, place: PlaceInNote): Pick<ListExtras, 'heading' | 'line'> {
  const { line, start, heading: path } = place;
  if (path === '') return { line };
  const text = isUnclearPath(entry.headings, path) ? vault.notes.readTextUnstable(entry.path) : null;
  return { heading: text === null ? path : nameSection(listSections(text), path, start), line };
}

/** Says why a note was found. Without `byWords`, words gave the whole score, or meaning did in a search by meaning. */
function toExplanation(
  { words, missing, line }: Explained,
  { mode, byWords = mode === 'semantic' ? 0 : 1 }: { readonly mode: SearchAnswer['mode']; readonly byWords?: number | undefined },
): Explanation {
  return { words, missing, ...(line === null ? {} : { line }), by_words: rounded(byWords), by_meaning: rounded(1 - byWords) };
}

function rounded(share: number): number {
  return Math.round(share * 100) / 100;
}
