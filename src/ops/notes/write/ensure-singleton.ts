import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { CREATED_KEYS } from '../../../note/frontmatter/reserved-keys.ts';
import { fileNameFor, joinPath } from '../../../note/path.ts';
import { newFilePlaces } from '../../../vault/obsidian/new-files.ts';
import { isCopy } from '../../reference.ts';
import { noNodeType, requireOntology } from '../../vault-ontology.ts';
import { readTime } from '../../node-properties.ts';
import { defineOperation, upToDate, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { newNoteFiles } from './new-note.ts';

/** Which note of a type to choose if there are several. */
export type Choice = 'oldest' | 'newest';

/** Returns the one note of a type, creating it if there is none (seed 000, S0-30 to S0-41). */
export const ensureSingletonNode = defineOperation({
  name: 'ensure_singleton_node',
  toolset: 'vault',
  title: 'Ensure singleton node',
  summary: 'The id of the one node of a type, made of content, encoding, format when there is none.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({
    type: z.string().min(1).max(200).describe('Node type of the ontology'),
    content: z.string().optional().describe('Required to make it'),
    encoding: z.enum(['utf-8', 'base64']).optional().catch(undefined).describe('Required to make it'),
    format: z.string().max(100).optional().describe('Of content, such as md; required to make it'),
    properties: z.record(z.string(), z.unknown()).optional().describe('Frontmatter of a new one'),
    on_multiple: z.enum(['oldest', 'newest']).default('oldest').describe('Which one of several'),
  }),
  async run(context, input) {
    // Checks in the order of the specification: ontology, type, candidates, and the fields only if a note is to be created.
    const ontology = requireOntology(await upToDate(context), input.type);
    if (!ontology.node_types.includes(input.type)) throw noNodeType(ontology, input.type);
    const present = choose(context, context.vault.graph, input.type, input.on_multiple);
    if (present !== null) return { node_id: present.id, created: false };
    const wanted = readNew(input);
    const { result } = await context.vault.writes.write(writeMeta(context, 'ensure_singleton_node'), (graph) => {
      const other = choose(context, graph, input.type, input.on_multiple);
      if (other !== null) return { files: [], result: { node_id: other.id, created: false } };
      const id = `n_${context.vault.ports.newId()}`;
      const path = freePath(context, graph, input.type);
      const files = newNoteFiles(context, { ...wanted, path, title: input.type, id, type: input.type });
      return { files, result: { node_id: id, created: true } };
    });
    return result;
  },
});

interface NewSingleton {
  readonly content: string;
  readonly encoding: 'utf-8' | 'base64';
  readonly format: string;
  readonly properties: Readonly<Record<string, string | number | boolean>>;
}

/** Reads the fields of a new note. `""` is content; a missing field is `INVALID_ARGUMENT` (S0-36). */
function readNew(input: {
  readonly content?: string | undefined;
  readonly encoding?: 'utf-8' | 'base64' | undefined;
  readonly format?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}): NewSingleton {
  const { content, encoding, format } = input;
  if (content === undefined || encoding === undefined || format === undefined) {
    const missing = Object.entries({ content, encoding, format }).flatMap(([field, value]) => (value === undefined ? [field] : []));
    throw new RouxError('INVALID_ARGUMENT', `No node of this type exists, and to make one ${missing.join(', ')} must be given.`, {
      missing,
    });
  }
  const properties = Object.entries(input.properties ?? {}).map(([key, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new RouxError('INVALID_ARGUMENT', `properties.${key} must be a string, a number or a boolean.`, { field: `properties.${key}` });
    }
    return [key, value] as const;
  });
  return { content, encoding, format, properties: Object.fromEntries(properties) };
}

/** Returns a file name that no link resolves to. */
function freePath(context: OperationContext, graph: GraphView, type: string): string {
  const file = joinPath(newFilePlaces(context.vault.settings.obsidian('app.json')).notes, fileNameFor(type, context.config.filenames));
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? file : file.replace(/\.md$/, `-${number}.md`);
    if (graph.resolve({ linkpath: path, from: path }).kind === 'unresolved') return path;
  }
}

/** Chooses the note of a type by creation time, then id by code unit; notes without a time come last (S0-34, S0-35, S0-40). */
function choose(context: Pick<OperationContext, 'warn' | 'vault'>, graph: GraphView, type: string, choice: Choice): NoteEntry | null {
  const { dated, undated } = candidatesOf(context, graph, type);
  if (undated.length > 0 && dated.length + undated.length > 1) {
    context.warn(`${undated.map(({ id }) => id).join(', ')} of type "${type}" say no creation time and count as last.`);
  }
  return (choice === 'oldest' ? dated[0] : newest(dated))?.entry ?? undated[0] ?? null;
}

interface Dated {
  readonly entry: NoteEntry;
  readonly created: string;
}

function candidatesOf(
  { vault }: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  type: string,
): { readonly dated: readonly Dated[]; readonly undated: readonly NoteEntry[] } {
  const entries = graph.facets.byType(type).filter((entry) => entry.type === type && !isCopy(vault, entry));
  const dated = entries.flatMap((entry) => {
    const created = readTime(entry.properties, CREATED_KEYS);
    return created === null ? [] : [{ entry, created }];
  });
  const byId = (a: NoteEntry, b: NoteEntry): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  return {
    dated: dated.sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : byId(a.entry, b.entry))),
    undated: entries.filter((entry) => !dated.some((other) => other.entry.path === entry.path)).sort(byId),
  };
}

/** Returns the first of those with the latest time, in a list sorted by time, then id. */
function newest(dated: readonly Dated[]): Dated | undefined {
  const last = dated.at(-1);
  return dated.find(({ created }) => created === last?.created);
}
