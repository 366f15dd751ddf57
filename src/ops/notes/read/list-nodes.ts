import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { GraphView, Listed, NoteEntry } from '../../../graph/view.ts';
import { nearestFolders, warnOfUnknown, warnOfUnknownTags, warnOfUnknownType } from '../../names/near-names.ts';
import { createTargetFinder } from '../../names/near-targets.ts';
import { listNowhere } from '../../names/nowhere.ts';
import type { Vault } from '../../../vault/vault.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { reservedInput } from '../../okf/reserved-input.ts';
import { takeWhileFits } from '../../shorten.ts';
import type { Query, QueryAnswer, QueryRow } from '../query/query-notes.ts';
import { byTags } from './search-by-tags.ts';

/** Notes named for each missing target. */
const MAX_SOURCES = 5;
/** Maximum characters of a page of ids and titles. */
const MAX_PAGE_CHARACTERS = 37_000;

const input = z.object({
  tag: z.string().optional().describe('a finds a/b too'),
  path: z.string().optional().describe('Folder'),
  type: z.string().optional().describe('Only this type'),
  orphans: z.boolean().default(false).describe('Notes without links'),
  ghosts: z.boolean().default(false).describe('Targets of broken links'),
  where: z.string().optional().describe('status == "open" && due < today(), file.hasLink("Note"), file.hasTag("x")'),
  sort: z.string().optional().describe('Property; -x: descending'),
  fields: z.array(z.string()).optional().describe('To show: ["due", "file.mtime"]'),
  group_by: z.string().optional().describe('status, file.folder; a list is one value'),
  base: z.string().optional().describe('A .base file, whose rows are listed'),
  view: z.string().optional().describe('Of base; default: the first'),
  reserved: reservedInput,
  context: z.string().optional().describe('The note "this" refers to').meta({ unlisted: true }),
  groups_offset: z.int().min(0).default(0).describe('Groups to skip'),
  limit: z.int().min(0).max(1000).default(100).describe('Notes; 0: only groups'),
  offset: z.int().min(0).default(0).describe('Notes to skip'),
});

/** Lists ids and titles of notes in pages, optionally by expressions over properties and with their values, or as the rows of a base. */
export const listNodes = defineOperation({
  name: 'list_nodes',
  toolset: 'vault',
  title: 'List notes',
  summary: 'Notes by tag, path, type; where, sort, fields, group_by: Obsidian Bases expressions; base: a .base file.',
  effect: 'read',
  isIdempotent: true,
  input,
  accept: ({ fields, ...args }) => ({
    ...args,
    ...(fields === undefined ? {} : { fields: typeof fields === 'string' ? [fields] : fields }),
  }),
  early: ({ orphans, ghosts, where, sort, fields, group_by, base, view }) =>
    orphans || ghosts || [where, sort, fields, group_by, base, view].some((each) => each !== undefined) ? null : 'part',
  run: (context, given) => listRows(context, given, false),
});

/** Like `list_nodes`, but in one untruncated answer, for a program that prints it. */
export const listAll = defineOperation({
  ...listNodes,
  name: 'list_all',
  toolset: null,
  title: 'List all notes',
  summary: 'Every row of list_nodes, nothing of it cut.',
  early: () => null,
  input: input.extend({ limit: z.int().min(0).default(Number.MAX_SAFE_INTEGER) }),
  run: (context, given) => listRows(context, given, true),
});

async function listRows(context: OperationContext, given: z.output<typeof input>, isWhole: boolean): Promise<QueryAnswer> {
  const { limit, offset, groups_offset: groupsOffset, tag, path, type, orphans, ghosts, reserved, ...query } = given;
  await context.vault.refresh('changed');
  const { graph } = context.vault;
  const filter = { tag, path, type, orphans };
  if (reserved) return listReserved(graph, folderOf(path), { limit, offset });
  warnOfUnknownFilter(context, filter);
  if (Object.values(query).some((each) => each !== undefined)) {
    refuseMix({ ghosts, query });
    // Loaded lazily: most sessions run no query.
    const { queryNotes } = await import('../query/query-notes.ts');
    const isOfNotes = orphans || tag !== undefined || type !== undefined;
    const among = { notes: notesOf(graph, filter), under: isOfNotes ? null : folderOf(path) };
    return queryNotes(context, { ...query, limit, offset, groupsOffset, isWhole }, among);
  }
  if (ghosts && [tag, path, type].some((each) => each !== undefined))
    throw new RouxError('INVALID_PARAMS', 'ghosts are names that only links have; leave out tag, path and type.');
  const all: Rows = ghosts ? ghostsOf(context.vault) : listNotes(graph, filter);
  const nodes = isWhole ? all.slice(offset, offset + limit) : takeWhileFits(all.slice(offset, offset + limit), MAX_PAGE_CHARACTERS);
  const next = offset + nodes.length;
  return { nodes, total: all.size, ...(next < all.size && nodes.length > 0 ? { next_offset: next } : {}) };
}

function refuseMix({ ghosts, query }: { readonly ghosts: boolean; readonly query: Pick<Query, 'base' | 'view'> }): void {
  if (ghosts)
    throw new RouxError('INVALID_PARAMS', 'ghosts are no notes and have no properties; leave out where, sort, fields, group_by and base.');
  if (query.view !== undefined && query.base === undefined)
    throw new RouxError('INVALID_PARAMS', 'view is one of a base; name the .base file in base.');
}

/** Lists the `index.md` and `log.md` files of bundles, which no other list has. */
function listReserved(
  graph: GraphView,
  under: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): QueryAnswer {
  const all = [...graph.entries({ under, includeHidden: true })].filter(({ path }) => graph.bundles.isReserved(path));
  const nodes = takeWhileFits(
    all.slice(offset, offset + limit).map(({ id, title }) => ({ id, title })),
    MAX_PAGE_CHARACTERS,
  );
  const next = offset + nodes.length;
  return { nodes, total: all.length, ...(next < all.length && nodes.length > 0 ? { next_offset: next } : {}) };
}

interface Filter {
  readonly tag?: string | undefined;
  readonly path?: string | undefined;
  readonly type?: string | undefined;
  readonly orphans: boolean;
}

/** Warns about a tag, type or folder that no note has. */
export function warnOfUnknownFilter(context: OperationContext, { tag, path, type }: Omit<Filter, 'orphans'>): void {
  const { graph } = context.vault;
  const folder = folderOf(path);
  if (tag !== undefined) warnOfUnknownTags(context, [tag]);
  if (type !== undefined) warnOfUnknownType(context, type);
  if (folder !== '' && graph.listed({ under: folder }).size === 0)
    warnOfUnknown(context, [folder], (name) => ({ what: 'folder', name, nearest: nearestFolders(context.vault, name) }));
}

/** Returns the notes in a folder, with a tag, of a type, or without links; all of them if nothing is given. */
export function notesOf(graph: GraphView, { tag, path, type, orphans }: Filter): readonly NoteEntry[] {
  const under = folderOf(path);
  const notes = orphans
    ? graph.walk.orphans()
    : tag !== undefined
      ? byTags(graph, { tags: [tag], mode: 'any' })
      : type !== undefined
        ? graph.facets.byType(type)
        : [...graph.entries({ under })];
  const tagged = orphans && tag !== undefined ? new Set(byTags(graph, { tags: [tag], mode: 'any' }).map((entry) => entry.path)) : null;
  return notes
    .filter((entry) => under === '' || entry.path.startsWith(`${under}/`))
    .filter((entry) => type === undefined || entry.type === type)
    .filter((entry) => tagged === null || tagged.has(entry.path));
}

/** The rows of a page: notes, or unresolved link targets. */
interface Rows {
  readonly size: number;
  slice(from: number, to: number): readonly QueryRow[];
}

function listNotes(graph: GraphView, filter: Filter): Rows {
  const { tag, type, orphans } = filter;
  const under = folderOf(filter.path);
  // The graph keeps these lists sorted, so that a page does not need to walk all notes.
  if (!orphans && type === undefined) return rowsOf(graph.listed({ under, ...(tag === undefined ? {} : { tag }) }));
  const notes = notesOf(graph, filter);
  return rowsOf({ size: notes.length, slice: (from, to) => notes.slice(from, to) });
}

function rowsOf(notes: Listed): Rows {
  return { size: notes.size, slice: (from, to) => notes.slice(from, to).map(({ id, title }) => ({ id, title })) };
}

/** Lists names that only links have, with the notes that hold them and the note that is most likely meant. */
function ghostsOf(vault: Vault): Rows {
  const ghosts = listNowhere(vault);
  const find = createTargetFinder(vault);
  return {
    size: ghosts.length,
    slice: (from, to) =>
      ghosts.slice(from, to).map(({ linkpath, count, sources }) => {
        const nearest = find({ linkpath, sources });
        return {
          id: linkpath,
          title: linkpath,
          links: count,
          in: sources.slice(0, MAX_SOURCES),
          ...(sources.length > MAX_SOURCES ? { in_omitted: sources.length - MAX_SOURCES } : {}),
          ...(nearest === undefined ? {} : { nearest }),
        };
      }),
  };
}

/** Normalizes the slashes of a folder path. */
function folderOf(path = ''): string {
  return path
    .split(/[\\/]+/)
    .filter((name) => name !== '')
    .join('/');
}
