import * as z from 'zod';
import { folderOf } from '../../../../note/path.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { kindOf } from './note-kind.ts';
import type { TitleMatch } from './title-match.ts';
import { openTitles } from './title-index.ts';

/** A note in the palette. */
export interface TitleHit {
  readonly path: string;
  readonly title: string;
  readonly folder: string;
  readonly kind: ReturnType<typeof kindOf>;
  /** The name that fits, and where it has the characters of the query; no marks if that is unknown. */
  readonly name: string;
  readonly marks: TitleMatch['marks'];
  /** Whether the name merely has the characters of the query in their order. */
  readonly is_loose: boolean;
}

const MAX_QUERY_CHARACTERS = 300;
const MAX_RECENT = 20;
/** Tasks, memories and facts come after a note that fits a little less well. */
const MACHINE_RANK = -150;

/** Finds notes by their names. Without a query, lists those that the user had open last, then those that were changed last. */
export const findTitles = defineOperation({
  name: 'find_titles',
  toolset: null,
  title: 'Find a note by its name',
  summary: 'Notes whose title, alias or file name has the characters of a query, best first; without one, the latest notes.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_CHARACTERS).default(''),
    limit: z.int().min(1).max(50).default(12),
    recent: z.array(z.string().max(4_096)).max(MAX_RECENT).default([]).describe('Paths of the notes that were open last'),
  }),
  async run(context, { query, limit, recent }): Promise<{ readonly hits: readonly TitleHit[]; readonly is_taken: boolean }> {
    const { vault, config } = context;
    const titles = vault.derived(openTitles);
    if (query.trim() === '') {
      const changed = await titles.changedLast(limit, (path) => kindOf(config, path) === 'note');
      const paths = [...new Set([...recent, ...changed])];
      return { hits: paths.flatMap((path) => toHit(context, { path })).slice(0, limit), is_taken: false };
    }
    const found = await titles.find(query, {
      limit,
      rank: (path) => (kindOf(config, path) === 'note' ? 0 : MACHINE_RANK),
      signal: context.signal,
    });
    return { hits: found.flatMap((each) => toHit(context, each)), is_taken: found.some(({ tier }) => tier === 'whole') };
  },
});

function toHit(
  { vault, config }: OperationContext,
  { path, name, marks = [], tier }: { readonly path: string; readonly name?: string } & Partial<TitleMatch>,
): readonly TitleHit[] {
  const entry = vault.graph.get(path);
  if (entry === null || entry.isHidden) return [];
  const { title } = entry;
  return [{ path, title, folder: folderOf(path), kind: kindOf(config, path), name: name ?? title, marks, is_loose: tier === 'loose' }];
}
