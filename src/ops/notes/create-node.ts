import { z } from 'zod';
import { RouxError } from '../../errors.ts';
import { composeNote } from '../../note/compose.ts';
import type { NotePath } from '../../note/path.ts';
import { baseName } from '../../note/path.ts';
import { planCreateSideEffects } from '../../vault/move.ts';
import type { Plan } from '../../vault/plan.ts';
import { checkNodeType } from '../known-types.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { storeContent } from '../typed-content.ts';
import { writeMeta } from '../write-meta.ts';
import { answerWith, answeredPath } from './answer.ts';
import { moveContext, timeOf } from './move-context.ts';
import { findTwin, placeNote } from './place.ts';
import { updateFiles } from './update-plan.ts';
import { cleanTags, encodingInput, listOrNothing, propertiesInput } from './write-input.ts';

const input = z.object({
  title: z.string().optional(),
  content: z.string().default(''),
  tags: z.array(z.string()).default([]),
  directory: z.string().optional(),
  type: z.string().min(1).max(200).optional(),
  properties: propertiesInput.optional(),
  format: z.string().min(1).max(200).optional(),
  encoding: encodingInput.optional(),
  if_exists: z.enum(['error', 'skip', 'update']).optional(),
});

type Input = z.output<typeof input>;

/** A new note. */
export const createNode = defineOperation({
  name: 'create_node',
  toolset: 'vault',
  title: 'Create a note',
  summary: 'Create a note; its title names the file. Link others in content as [[title]].',
  effect: 'write',
  isIdempotent: false,
  input,
  async run(context, given) {
    const title = given.title ?? given.type;
    if (title === undefined) throw new RouxError('INVALID_PARAMS', 'create_node: title is required.', { field: 'title' });
    if (given.type !== undefined) checkNodeType(context, given.type);
    const { filenames } = context.config;
    let path = placeNote({ title, directory: given.directory, filenames });
    const committed = await context.vault.write(writeMeta(context, 'create_node'), (graph) => {
      // A node that only its type names gets a name of its own, so that a second one can be made.
      for (let number = 2; given.title === undefined && findTwin(graph, path) !== null; number += 1) {
        path = placeNote({ title: `${title} ${number}`, directory: given.directory, filenames });
      }
      const twin = findTwin(graph, path);
      if (twin !== null && given.if_exists !== undefined && given.if_exists !== 'error') {
        path = twin.path;
        return { files: given.if_exists === 'skip' ? [] : updateFiles(context, twin, given), result: { path } };
      }
      if (twin !== null) {
        throw new RouxError('NODE_EXISTS', `There is a note ${twin.path} already. Choose another title, or change it with update_node.`, {
          id: twin.id,
        });
      }
      const plan = planNew(context, { path, title: given.title === undefined ? baseName(path) : title }, given);
      const effects = planCreateSideEffects(moveContext(context, graph), [path]);
      return {
        ...plan,
        files: [...plan.files, ...effects.files],
        ...(effects.warnings === undefined ? {} : { warnings: effects.warnings }),
      };
    });
    return answerWith(context, answeredPath(committed, path), committed);
  },
});

function planNew(context: OperationContext, { path, title }: { readonly path: NotePath; readonly title: string }, given: Input): Plan {
  const { format, encoding, content, type } = given;
  const isTyped = format !== undefined || encoding !== undefined;
  const stored = isTyped
    ? storeContent({ content, encoding: encoding ?? 'utf-8', format: format ?? 'markdown' }, path)
    : { body: content, attachment: null };
  const at = timeOf(context);
  const name = baseName(path);
  const text = composeNote({
    properties: {
      id: context.config.ids === 'always' ? `n_${context.vault.ports.newId()}` : undefined,
      type,
      // A title of nothing but spaces names nothing: then the file name is the title.
      title: title.trim() === '' || title === name ? undefined : title,
      tags: listOrNothing(cleanTags(given.tags)),
      rev: 1,
      properties: given.properties === undefined || Object.keys(given.properties).length === 0 ? undefined : given.properties,
      created_at: at,
      updated_at: at,
      created_by: context.agent,
      format,
      encoding,
    },
    body: stored.body,
  });
  return { files: [{ kind: 'create', path, text }, ...(stored.attachment === null ? [] : [stored.attachment])], result: { path } };
}
