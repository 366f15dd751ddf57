import { RouxError } from '../../../errors.ts';
import { applyChanges } from '../../../note/edit.ts';
import { editProperties } from '../../../note/frontmatter/property-edit.ts';
import { parseNote } from '../../../note/parse.ts';
import { checkPath, foldKey, joinPath, toNotePath } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import { fillTemplate, templateFolder } from '../../../vault/obsidian/template-text.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { OperationContext } from '../../operation.ts';
import { findNote } from '../../reference.ts';
import { entryFor, tagsOf } from './shapes.ts';

import { planUpdate } from './update-plan.ts';
import type { GivenUpdate } from './update-plan.ts';

/** The variables of a template, besides the current time. */
interface Filling {
  readonly title: string;
  /** The day of a periodic note, in milliseconds since 1970; today by default. */
  readonly date?: number;
}

/**
 * Reads a template and fills it in (E-25). `name` is a path of the vault, a note in Obsidian's template folder, or any reference. Returns
 * null if there is no such note; throws `INVALID_PARAMS` for a path outside the vault.
 */
export async function readTemplate(context: OperationContext, name: string, filling: Filling): Promise<string | null> {
  const { vault } = context;
  const settings = vault.settings.obsidian('templates.json');
  const folder = templateFolder(settings);
  const own = name.trim().replace(/^\/+/, '').replaceAll('\\', '/');
  const problem = own === '' ? 'it is empty' : checkPath(own);
  if (problem !== null) {
    throw new RouxError(
      'INVALID_PARAMS',
      `template: ${JSON.stringify(name)} cannot be used: ${problem}. Templates are notes of this vault.`,
      {
        field: 'template',
      },
    );
  }
  const paths = [own, ...(folder === '' ? [] : [joinPath(folder, own)])].map((path) =>
    toNotePath(/\.md$/i.test(path) ? path : `${path}.md`),
  );
  for (const path of paths) {
    const found = path === null ? null : await vault.notes.read(path);
    if (path !== null && found !== null) return await fill(context, path, found.note.text, filling);
  }
  const entry = await findNote(context, own);
  const found = entry === null ? null : await vault.notes.read(entry.path);
  return entry === null || found === null ? null : await fill(context, entry.path, found.note.text, filling);
}

async function fill({ vault }: OperationContext, path: string, text: string, { title, date }: Filling): Promise<string> {
  const time = vault.ports.clock.now();
  const settings = vault.settings.obsidian('templates.json');
  return withoutIdentity(path, await fillTemplate(text.replace(/^\ufeff/, ''), { title, date: date ?? time, time, settings }));
}

/** Keys that belong to the template note itself and are not copied. */
const OWN_KEYS: readonly string[] = ['id', 'rev', 'created_at', 'updated_at', 'created_by'];

function withoutIdentity(path: string, text: string): string {
  try {
    return editProperties(
      path,
      text,
      OWN_KEYS.map((key) => ({ op: 'unset', key: [key] })),
    );
  } catch (error) {
    // The template's frontmatter is invalid; the note shows the same error, which a person has to correct.
    if (error instanceof RouxError) return text;
    throw error;
  }
}

/** Plans a new note with this text and applies an update to it in the same write, as its first revision. */
export function planNewNote(
  context: OperationContext,
  { path, text, update }: { readonly path: NotePath; readonly text: string; readonly update: GivenUpdate },
): readonly FileChange[] {
  const entry = entryFor(parseNote(path, text), '');
  const before = tagsOf(entry.properties['tags']);
  const mine = update.tags ?? [];
  const tags = [...before, ...mine.filter((tag) => !before.some((other) => foldKey(other) === foldKey(tag.replace(/^#/, ''))))];
  const { files } = planUpdate(context, entry, { ...update, ...(update.tags === undefined ? {} : { tags }) });
  return [
    ...files.flatMap((file): readonly FileChange[] => {
      if (file.kind !== 'change' || file.path !== path) return [file];
      return [
        {
          kind: 'create',
          path,
          text: applyChanges(
            path,
            text,
            file.changes.filter(({ op }) => op !== 'touch'),
          ).text,
        },
      ];
    }),
    ...(files.some((file) => file.kind === 'change' && file.path === path) ? [] : [{ kind: 'create' as const, path, text }]),
  ];
}
