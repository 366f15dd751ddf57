import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { baseName } from '../../../note/path.ts';
import { planCreateSideEffects } from '../../../vault/links/move.ts';
import { checkNodeType } from '../../known-types.ts';
import { linkContext } from '../../links.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import { findPlace, newNoteFiles, newNotePath } from './new-note.ts';
import { followRename } from './replacement.ts';
import { answeredPath, answerWith, encodingInput, propertiesInput } from './shapes.ts';
import { planUpdate } from './update-plan.ts';

const input = z.object({
  title: z.string().optional(),
  content: z.string().optional(),
  tags: z.array(z.string()).optional(),
  directory: z.string().optional(),
  type: z.string().min(1).max(200).optional(),
  properties: propertiesInput.optional(),
  format: z.string().min(1).max(200).optional(),
  encoding: encodingInput.optional(),
  if_exists: z.enum(['error', 'skip', 'update']).optional(),
  include_content: z.boolean().default(false),
});

/** A new note. */
export const createNode = defineOperation({
  name: 'create_node',
  toolset: 'vault',
  title: 'Create a note',
  summary: 'Create a note; its title names the file. Link others in content by file name: [[my-note|My Note]].',
  effect: 'write',
  isIdempotent: false,
  input,
  async run(context, given) {
    const title = given.title ?? given.type;
    if (title === undefined) throw new RouxError('INVALID_PARAMS', 'create_node: title is required.', { field: 'title' });
    if (given.type !== undefined) checkNodeType(context, given.type);
    const { filenames } = context.config;
    // What is wrong with the title or the folder is told before anything waits.
    let path = newNotePath({ title, directory: given.directory, filenames });
    let isBlind = false;
    const committed = await context.vault.write(writeMeta(context, 'create_node'), async (graph) => {
      const named = { title, directory: given.directory, filenames };
      let place = findPlace(graph, named);
      // A node that only its type names gets a name of its own, so that a second one can be made.
      for (let number = 2; given.title === undefined && place.twin !== null; number += 1)
        place = findPlace(graph, { ...named, title: `${title} ${number}` });
      const { twin } = place;
      path = place.path;
      if (twin !== null && given.if_exists !== undefined && given.if_exists !== 'error') {
        if (given.if_exists === 'skip') return { files: [], result: { path } };
        await followRename(context, twin);
        const { files, warnings, isBlind: isUnread } = planUpdate(context, twin, given);
        isBlind = isUnread;
        return { files, warnings, result: { path } };
      }
      if (twin !== null) {
        throw new RouxError('NODE_EXISTS', `There is a note ${twin.path} already. Choose another title, or change it with update_node.`, {
          id: twin.id,
        });
      }
      const files = newNoteFiles(context, {
        ...given,
        content: given.content ?? '',
        tags: given.tags,
        path,
        title: given.title === undefined ? baseName(path) : title,
        id: context.config.ids === 'always' ? `n_${context.vault.ports.newId()}` : undefined,
      });
      const effects = planCreateSideEffects(linkContext(context.vault, graph), [path]);
      return {
        files: [...files, ...effects.files],
        result: { path },
        ...(effects.warnings === undefined ? {} : { warnings: effects.warnings }),
      };
    });
    return answerWith(context, answeredPath(committed, path), committed, {
      content: given.content,
      isBlind,
      isWhole: given.include_content,
    });
  },
});
