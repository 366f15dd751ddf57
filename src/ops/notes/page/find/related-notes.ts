import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import type { NoteEntry } from '../../../../graph/view.ts';
import { folderOf } from '../../../../note/path.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { requireNote } from '../../../reference.ts';
import { similarNotes } from '../../walk/similar-notes.ts';
import { kindOf } from './note-kind.ts';

/** A note that is about the same and not linked yet. */
interface RelatedNote {
  readonly path: string;
  readonly title: string;
  readonly folder: string;
  /** The section that is similar; absent for the beginning of the note. */
  readonly heading?: string;
}

const MAX_RELATED = 6;
/** Notes that are looked at, of which tasks, memories and facts are left out. */
const MAX_CANDIDATES = 30;
/** How long a page waits for the vector of its note. */
const MAX_WAIT_MS = 2_000;
/** Headings whose words are searched for where nothing is embedded. */
const MAX_HEADINGS = 4;

/** Lists notes that are similar to a note and not linked with it. */
export const relatedNotes = defineOperation({
  name: 'related_notes',
  toolset: null,
  title: 'Related notes',
  summary:
    'Notes that are similar to a note and not linked with it: by meaning, or by the words of its title where notes are not embedded.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096) }),
  async run(context, { path }): Promise<{ readonly by: 'meaning' | 'words'; readonly notes: readonly RelatedNote[] }> {
    const entry = await requireNote(context, path);
    const own = kindOf(context.config, entry.path);
    const isWanted = (found: NoteEntry): boolean => ['note', own].includes(kindOf(context.config, found.path));
    const similar = await findSimilar(context, entry);
    const listed = similar ?? (await findByTitle(context, entry));
    const notes = listed.filter((each) => isWanted(each.entry)).slice(0, MAX_RELATED);
    return {
      by: similar === null ? 'words' : 'meaning',
      notes: notes.map(({ entry: found, heading }) => ({
        path: found.path,
        title: found.title,
        folder: folderOf(found.path),
        ...(heading === undefined ? {} : { heading }),
      })),
    };
  },
});

interface Found {
  readonly entry: NoteEntry;
  readonly heading?: string | undefined;
}

/** Returns null where there are no embeddings, or none of the note in time. */
async function findSimilar(context: OperationContext, entry: NoteEntry): Promise<readonly Found[] | null> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  try {
    const { notes } = await similarNotes({ ...context, signal }, entry, { limit: MAX_CANDIDATES, offset: 0 });
    return notes;
  } catch (error) {
    context.signal.throwIfAborted();
    if (signal.aborted || (error instanceof RouxError && error.code === 'PROVIDER_ERROR')) return null;
    throw error;
  }
}

/** Finds notes with the words of the title and the first headings, of which rare ones count most. */
async function findByTitle({ vault, signal }: OperationContext, entry: NoteEntry): Promise<readonly Found[]> {
  const texts = [entry.title, ...entry.aliases, ...entry.headings.slice(0, MAX_HEADINGS).map(({ text }) => text)];
  const query =
    texts
      .join(' ')
      .slice(0, 500)
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? '';
  if (query === '') return [];
  const { hits } = await vault.search.search({ query, mode: 'keyword', limit: MAX_CANDIDATES, snippetLength: 0, signal });
  const linked = new Set([entry.path, ...vault.graph.walk.neighbors(entry.path, 'both').map(({ entry: near }) => near.path)]);
  return hits.flatMap(({ path }): Found[] => {
    const found = vault.graph.get(path);
    return found === null || linked.has(path) ? [] : [{ entry: found }];
  });
}
