import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { Choice } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { baseName } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import { planCreateSideEffects } from '../../../vault/links/move.ts';
import { newFilePlaces } from '../../../vault/obsidian/new-files.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { originInput } from '../../call/origin.ts';
import { checkNodeType } from '../../vault-ontology.ts';
import { createRenameContext } from '../../links.ts';
import { defineOperation, upToDate, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { findNoteUnderLock, findOrDefer, requireNote, splitPart } from '../../reference.ts';
import { readParts } from './body-parts.ts';
import { planNewNote, readTemplate } from './from-template.ts';
import { refuseTaskArguments, withAliases } from './given-properties.ts';
import { hasReadCurrent } from '../../read-log.ts';
import { findPlace, newNoteFiles, newNotePath, withTitleAlias } from './new-note.ts';
import type { NewNote } from './new-note.ts';
import type { Extracted } from './merge-and-extract/extract-section.ts';
import { followRename } from './replacement.ts';
import { answerWith } from './answer/written-note.ts';
import { encodingInput, propertiesInput, wholeInput } from './shapes.ts';
import { planUpdate } from './update-plan.ts';

const input = z.object({
  title: z.string().optional().describe('Names the file; required without type'),
  content: z.string().optional().describe('Markdown body'),
  tags: z.array(z.string()).optional().describe('Without #'),
  directory: z.string().optional().describe('Folder; default as in Obsidian'),
  type: z.string().min(1).max(200).optional().describe('Kind of note'),
  aliases: z.array(z.string()).optional().describe('Other names'),
  properties: propertiesInput.optional().describe('Frontmatter'),
  format: z.string().min(1).max(200).optional().describe('Of content: md (default), json, png'),
  encoding: encodingInput.optional().describe('base64: binary'),
  origin: originInput,
  if_exists: z.enum(['error', 'skip', 'update']).optional().describe('If the title is taken; default error'),
  template: z.string().min(1).optional().describe('Template note'),
  from: z.string().min(1).optional().describe('Moves Note#Heading here'),
  include_content: wholeInput,
});

/** Creates a note. */
export const createNode = defineOperation({
  name: 'create_node',
  toolset: 'vault',
  title: 'Create a note',
  summary: 'Create a note. Link others in content by file name: [[File name]].',
  effect: 'write',
  overwrites: true,
  isIdempotent: false,
  input,
  async run(context, { aliases, ...rest }) {
    refuseTaskArguments(context, null);
    const given = { ...rest, properties: withAliases({ aliases, properties: rest.properties }) };
    const title = (given.title ?? given.type)?.trim();
    if (title === undefined) throw new RouxError('INVALID_PARAMS', 'create_node: title is required.', { field: 'title' });
    if (given.type !== undefined) checkNodeType(await upToDate(context), given.type);
    const { filenames } = context.config;
    // Obsidian's setting for new notes is the default (E-26).
    const directory = given.directory ?? newFilePlaces(context.vault.settings.obsidian('app.json')).notes;
    // Rejects a bad title or folder before waiting for the lock.
    newNotePath({ title, directory, filenames });
    const template = given.template === undefined ? undefined : await requireTemplate(context, given.template, title);
    const findSource = given.from === undefined ? null : await findExtracted(context, given.from, given);
    const committed = await context.vault.writes.write(writeMeta(context, 'create_node'), async (graph) => {
      const named = { title, directory, filenames };
      let place = findPlace(graph, named);
      // A node named only by its type gets a number, so that a second one can be created.
      for (let number = 2; given.title === undefined && place.existing !== null; number += 1)
        place = findPlace(graph, { ...named, title: `${title} ${number}` });
      const { existing, isGuess, similar } = place;
      const { path } = place;
      if (existing !== null && given.if_exists === 'skip') return { files: [], result: { path, isSkipped: true } };
      if (existing !== null && given.if_exists === 'update' && !isGuess) {
        await followRename(context, existing);
        const { files, warnings, isBlind } = planUpdate(context, existing, given);
        return { files, warnings, result: { path, isBlind, isCurrent: hasReadCurrent(context, existing) } };
      }
      if (existing !== null) {
        throw new RouxError(
          'NODE_EXISTS',
          `There is a note ${existing.path} already. Choose another title, or change it with update_node.`,
          { id: existing.id },
          { choice: chooseForTaken(existing.path, { isGuess, hasText: given.content !== undefined }) },
        );
      }
      const made = {
        path,
        title: given.title === undefined ? baseName(path) : title,
        id: context.config.ids === 'always' ? `n_${context.vault.ports.newId()}` : undefined,
      };
      const extracted = findSource === null ? null : await findSource(graph, made);
      const files =
        template === undefined
          ? newNoteFiles(context, {
              ...given,
              ...made,
              content: extracted?.content ?? given.content ?? '',
              origin: extracted?.origin ?? given.origin,
            })
          : fromTemplate(context, { ...given, ...made, template });
      const effects = extracted ?? planCreateSideEffects(createRenameContext(context.vault, graph), [path]);
      const warnings = [
        ...(effects.warnings ?? []),
        ...(similar === null ? [] : [describeSimilar(similar)]),
        ...(given.title === undefined ? [] : describeTwins(graph, title)),
      ];
      return {
        files: [...withTitleAlias(files, made), ...effects.files],
        result: {
          path,
          isCurrent: true,
          isBodyKnown: template === undefined && extracted === null,
          ...(extracted === null ? {} : { relinked: extracted.relinked }),
        },
        ...(warnings.length === 0 ? {} : { warnings }),
      };
    });
    return answerWith(context, committed, { content: given.content, isWhole: given.include_content });
  },
});

/** What to do where the title is taken. A note that is only guessed to be meant is not changed. */
function chooseForTaken(path: string, { isGuess, hasText }: { readonly isGuess: boolean; readonly hasText: boolean }): Choice {
  const update = hasText ? 'Put the new text in place of its own' : 'Keep its text, and set the new properties';
  const options = [{ value: 'skip', label: 'Leave it as it is' }, ...(isGuess ? [] : [{ value: 'update', label: update }])];
  return { question: `There is a note ${path} already. What is to be done?`, options, of: { argument: 'if_exists' } };
}

/** Finds the note of a section to move. Returns what plans the move, under the write lock. */
async function findExtracted(
  context: OperationContext,
  from: string,
  given: Pick<z.output<typeof input>, 'content' | 'template' | 'format' | 'encoding' | 'origin' | 'if_exists'>,
) {
  const { content, template, format, encoding, origin, if_exists: ifExists } = given;
  const others = { content, template, format, encoding, if_exists: ifExists === 'error' ? undefined : ifExists };
  const [other] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (other !== undefined)
    throw new RouxError('INVALID_PARAMS', `from: the new note holds what is below that heading; leave ${other} out.`, { field: 'from' });
  const { note, part } = splitPart(context.vault.graph, from);
  const heading = part.slice(1).trim();
  if (heading === '' || heading.startsWith('^'))
    throw new RouxError('INVALID_PARAMS', `from: ${JSON.stringify(from)} names no heading; give Note#Heading.`, { field: 'from' });
  const find = await findOrDefer(context, () => requireNote(context, note));
  return async (graph: GraphView, { path, title }: { readonly path: NotePath; readonly title: string }): Promise<Extracted> => {
    const source = await findNoteUnderLock(context, find(), note);
    if (source === null) throw new RouxError('NODE_NOT_FOUND', `from: ${note} is gone: somebody removed it.`, { field: 'from' });
    // Loaded lazily: most sessions move no section.
    const { planExtraction } = await import('./merge-and-extract/extract-section.ts');
    return planExtraction(context, graph, { source, heading, to: path, title, origin });
  };
}

function describeSimilar({ title, path }: NoteEntry): string {
  return `There is also a note ${JSON.stringify(title)} (${path}). Its title differs, so this is another note.`;
}

/** Describes the first note elsewhere that has this name too, in any case, as its title, alias or file name. */
function describeTwins(graph: GraphView, title: string): readonly string[] {
  const found = graph.lookup(title);
  const named = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  const twin = named.find(({ isHidden }) => !isHidden);
  if (twin === undefined) return [];
  return [
    `${JSON.stringify(title)} is also the name of ${twin.path}. This is another note, and the name alone no longer says which one is meant.`,
  ];
}

/** Reads the template for a note of this title. */
async function requireTemplate(context: OperationContext, name: string, title: string): Promise<string> {
  const text = await readTemplate(context, name, { title });
  if (text !== null) return text;
  throw new RouxError('NODE_NOT_FOUND', `template: there is no note ${JSON.stringify(name)}. Give the path of one.`, { field: 'template' });
}

type FromTemplate = Omit<NewNote, 'content' | 'path'> & {
  readonly path: NotePath;
  readonly template: string;
  readonly content?: string | undefined;
};

/** Creates a note from a template, with tags and properties added and content appended. */
function fromTemplate(
  context: OperationContext,
  { template, content, tags, properties, format, encoding, ...made }: FromTemplate,
): readonly FileChange[] {
  if (format !== undefined || encoding !== undefined) {
    throw new RouxError('INVALID_PARAMS', 'template: typed content begins from none; leave format and encoding out.', {
      field: 'template',
    });
  }
  const [note, ...more] = newNoteFiles(context, { ...made, content: template });
  if (note?.kind !== 'create') return [];
  const parts = readParts({ append: content });
  return [...planNewNote(context, { path: made.path, text: note.text, update: { tags, properties, parts } }), ...more];
}
