import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { editProperties } from '../../../../note/frontmatter/property-edit.ts';
import { baseName, folderOf } from '../../../../note/path.ts';
import { planCreateSideEffects } from '../../../../vault/links/move.ts';
import { newFilePlaces } from '../../../../vault/obsidian/new-files.ts';
import { createRenameContext } from '../../../links.ts';
import { defineOperation, writeMeta } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { findPeriodic } from '../../../reference.ts';
import { readTemplate } from '../../write/from-template.ts';
import { findPlace, newNotePath, withTitleAlias } from '../../write/new-note.ts';

/** Creates a note as a person does in Obsidian: empty or from a template, without properties of roux. */
export const createPage = defineOperation({
  name: 'create_page',
  toolset: null,
  title: 'Create a note on the page',
  summary: 'Creates a note where the vault has its new notes: empty, from a template, or from the one of its day.',
  effect: 'write',
  isIdempotent: false,
  input: z.strictObject({
    /** The title, with a folder before it as in a link. */
    title: z.string().min(1).max(1_000),
    /** The note that links to it: new notes may go into its folder. */
    from: z.string().max(4_096).optional(),
    /** The path of the template to begin with; by default that of the day, if the title is one. */
    template: z.string().min(1).max(4_096).optional(),
  }),
  async run(context, { title: given, from, template: chosen }) {
    const wanted = await planWanted(context, given.trim(), from);
    const template = chosen ?? wanted.template;
    const { filenames } = context.config;
    const named = { title: wanted.title, directory: wanted.folder, filenames };
    // Refuses a name that no file can have before waiting for the lock.
    checkName(() => newNotePath(named), wanted.title);
    const filled = template === null ? null : await readTemplate(context, template, { title: wanted.title, ...wanted.day });
    if (filled === null && chosen !== undefined)
      throw new RouxError('INVALID_PARAMS', `There is no template ${JSON.stringify(chosen)} any more.`);
    const committed = await context.vault.writes.write(writeMeta(context, 'create_page'), (graph) => {
      const { path, existing } = findPlace(graph, named);
      if (existing !== null) return { files: [], result: { path: existing.path, is_new: false } };
      const text = editProperties(path, filled ?? '', [
        ...(context.config.ids === 'always' ? [{ op: 'set' as const, key: ['id'], value: `n_${context.vault.ports.newId()}` }] : []),
        ...(filenames === 'slug' && wanted.title !== baseName(path) ? [{ op: 'set' as const, key: ['title'], value: wanted.title }] : []),
      ]);
      const effects = planCreateSideEffects(createRenameContext(context.vault, graph), [path]);
      const files = withTitleAlias([{ kind: 'create', path, text }], { path, title: wanted.title });
      return { files: [...files, ...effects.files], result: { path, is_new: true } };
    });
    return { ...committed.result, batch: committed.batch };
  },
});

interface WantedNote {
  readonly title: string;
  readonly folder: string;
  readonly template: string | null;
  /** Of a note of a day: what its template says the date is. */
  readonly day: { readonly date?: number };
}

/** Returns where a note of this name goes, and from which template: by the vault's settings for daily notes, else for new notes. */
async function planWanted(context: OperationContext, given: string, from: string | undefined): Promise<WantedNote> {
  const day = /^\d{4}-\d\d-\d\d$/.test(given) ? await findPeriodic(context, `@${given}`).catch(() => null) : null;
  if (day !== null && baseName(day.path) === given)
    return { title: given, folder: folderOf(day.path), template: day.template, day: { date: day.start } };
  const name = given.replace(/\.md$/i, '');
  const slash = name.lastIndexOf('/');
  const app = context.vault.settings.obsidian('app.json');
  const beside = app['newFileLocation'] === 'current' && from !== undefined ? folderOf(from) : newFilePlaces(app).notes;
  return { title: name.slice(slash + 1), folder: slash === -1 ? beside : name.slice(0, slash), template: null, day: {} };
}

/** Says of a name that no file can have what is wrong with it. */
function checkName(check: () => unknown, title: string): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    const reason = error.message.replace(/^\w+: /, '').replace(/ (?:Choose another title|Name a folder of the vault)\.$/, '');
    throw new RouxError('INVALID_PARAMS', `No note can be named ${JSON.stringify(title)}. ${reason}`, {}, { cause: error });
  }
}
