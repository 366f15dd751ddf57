import * as z from 'zod';
import type { Vault } from '../../../vault/vault.ts';
import { describeOrders } from '../../call/fence.ts';
import { defineOperation } from '../../operation.ts';

/** Lists paths and titles of all notes in pages. */
export const notePaths = defineOperation({
  name: 'note_paths',
  toolset: null,
  title: 'Paths of notes',
  summary: 'Paths and titles of notes by path, from the one after the cursor on.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ cursor: z.string().optional(), limit: z.int().min(1).default(200) }),
  run({ vault }, { cursor, limit }) {
    const rest = [...vault.graph.entries()].filter(({ path }) => cursor === undefined || path > cursor);
    const notes = rest.slice(0, limit).map(({ path, title }) => {
      const orders = describeOrders(title);
      return { path, title, ...(orders === null ? {} : { description: orders }) };
    });
    const last = notes.at(-1);
    return { notes, ...(last === undefined || notes.length === rest.length ? {} : { next_cursor: last.path }) };
  },
});

/** The kinds of words that can be completed. */
export const WORD_KINDS = ['note', 'title', 'tag', 'type', 'project'] as const;
export type WordKind = (typeof WORD_KINDS)[number];

/** Completes a word of one kind. */
export const completeWord = defineOperation({
  name: 'complete_word',
  toolset: null,
  title: 'Complete a word',
  summary: 'Paths, titles, tags, types or projects that hold these letters, those that begin with them first.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ kind: z.enum(WORD_KINDS), beginning: z.string(), limit: z.int().min(1).default(100) }),
  run({ vault }, { kind, beginning, limit }) {
    const wanted = beginning.toLowerCase();
    const rank = (word: string): number => (word.toLowerCase().startsWith(wanted) ? 0 : 1);
    const fitting = [...new Set(listWords(vault, kind).filter((word) => word.toLowerCase().includes(wanted)))];
    const words = fitting.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    return { words: words.slice(0, limit), total: words.length };
  },
});

function listWords({ graph, settings: { config } }: Vault, kind: WordKind): readonly string[] {
  switch (kind) {
    case 'note':
      return [...graph.entries()].flatMap((entry) => [entry.path, entry.title]);
    case 'title':
      return [...graph.entries()].map((entry) => entry.title);
    case 'tag':
      return graph.facets.tags().map(({ tag }) => tag);
    case 'type':
      return graph.facets.types().map(({ type }) => type);
    case 'project':
      return graph.facets.byType('project').map((entry) => projectName(entry.path, config.tasks.root));
  }
}

/** Returns the project of `projects/<name>/…`: the folder below the root of the task graph. */
function projectName(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? (path.slice(root.length + 1).split('/')[0] ?? path) : path;
}
