import * as z from 'zod';
import { bodyStartOf } from '../../../note/frontmatter/read-frontmatter.ts';
import { scan } from '../../../note/markdown/scan.ts';
import type { Span } from '../../../note/note.ts';
import { foldText } from '../../../graph/search/words/fold-text.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { lineOf } from '../walk/links.ts';
import type { LinkLine } from '../walk/links.ts';
import { etagOf } from '../../view.ts';
import { around } from './backlinks.ts';
import { isProse, placeOfMention } from './find/mention-place.ts';
import type { MentionPlace } from './find/mention-place.ts';

/** Limits of names searched for, candidate notes, and lines of a note. */
const MAX_NAMES = 5;
const MAX_NOTES = 50;
const MAX_LINES = 3;
/** Places of a note that are examined. For each, its whole text is scanned. */
const MAX_EXAMINED = 12;
/** Shorter names occur in too many words; two characters are significant in Han. */
const MIN_NAME_CHARACTERS = 3;
const MIN_HAN_CHARACTERS = 2;

/** A line that names a note. `place`: where, if the name can become a link. */
interface MentionLine extends LinkLine {
  readonly place?: MentionPlace;
}

/** Lists places that name a note without linking to it. */
export const unlinkedMentions = defineOperation({
  name: 'unlinked_mentions',
  toolset: null,
  title: 'Unlinked mentions',
  summary: 'Lines of other notes that name a note by its title or an alias without a link.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096) }),
  async run(context, { path }) {
    const entry = await requireNote(context, path);
    const names = [...new Set([entry.title, ...entry.aliases].map((name) => name.trim()))].filter(isSignificant).slice(0, MAX_NAMES);
    const candidates = await findCandidates(context, names, entry.path);
    const mentions = candidates.paths.flatMap((from) => {
      const source = context.vault.notes.readUnstable(from);
      const text = source?.note.text ?? null;
      const lines = text === null ? [] : mentionsIn(text, names);
      if (source === null || lines.length === 0) return [];
      const title = context.vault.graph.get(from)?.title ?? from;
      return [
        {
          path: from,
          title,
          etag: etagOf(source.hash),
          lines: lines.slice(0, MAX_LINES),
          ...(lines.length > MAX_LINES ? { more: lines.length - MAX_LINES } : {}),
        },
      ];
    });
    return { names, mentions, is_complete: candidates.isComplete };
  },
});

function isSignificant(name: string): boolean {
  return name.length >= (/\p{Script=Han}/u.test(name) ? MIN_HAN_CHARACTERS : MIN_NAME_CHARACTERS);
}

/** Returns the notes that contain one of the names literally. */
async function findCandidates(
  { vault, session, signal }: OperationContext,
  names: readonly string[],
  self: string,
): Promise<{ readonly paths: readonly string[]; readonly isComplete: boolean }> {
  const paths = new Set<string>();
  let isComplete = true;
  for (const query of names) {
    const found = await vault.search.search({ query, mode: 'exact', limit: MAX_NOTES, snippetLength: 0, caller: session, signal });
    if (found.total > found.hits.length || found.isLowerBound) isComplete = false;
    for (const { path } of found.hits) if (path !== self) paths.add(path);
  }
  return { paths: [...paths].slice(0, MAX_NOTES), isComplete: isComplete && paths.size <= MAX_NOTES };
}

/** Returns the lines of a body that contain a name as a word, outside of links and code. */
function mentionsIn(text: string, names: readonly string[]): readonly MentionLine[] {
  const { links } = scan(text);
  const isLinked = ({ start, end }: Span): boolean => links.some((link) => link.start < end && start < link.end);
  const folded = foldText(text);
  // If folding changes lengths, positions cannot be mapped, so the text is compared unfolded.
  const haystack = folded.length === text.length ? folded : text;
  const bodyStart = bodyStartOf(text);
  let examined = 0;
  const found = new Map<number, MentionLine>();
  for (const name of names) {
    const needle = haystack === folded ? foldText(name) : name;
    for (let at = haystack.indexOf(needle); at !== -1 && found.size <= MAX_LINES; at = haystack.indexOf(needle, at + needle.length)) {
      const span = { start: at, end: at + needle.length };
      if (!isWord(haystack, span) || isLinked(span)) continue;
      if (examined === MAX_EXAMINED) break;
      examined += 1;
      if (span.start >= bodyStart && !isProse(text, span)) continue;
      const line = lineOf(text, span);
      if (found.has(line.line)) continue;
      const place = placeOfMention(text, span);
      found.set(line.line, { ...around(line), ...(place === null ? {} : { place }) });
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}

const WORD = /[\p{L}\p{N}_]/u;
const CONTINUOUS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function isWord(text: string, { start, end }: Span): boolean {
  const [before, first, last, after] = [text[start - 1] ?? '', text[start] ?? '', text[end - 1] ?? '', text[end] ?? ''];
  const isJoined = (one: string, other: string): boolean => WORD.test(one) && WORD.test(other) && !CONTINUOUS.test(one + other);
  return !isJoined(before, first) && !isJoined(last, after);
}
