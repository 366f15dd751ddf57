import * as z from 'zod';
import { compareNames } from '../../../../note/text.ts';
import { foldKey } from '../../../../note/path.ts';
import { templateFolder } from '../../../../vault/obsidian/template-text.ts';
import { defineOperation } from '../../../operation.ts';

const MAX_TEMPLATES = 200;

/** Lists the notes in Obsidian's folder of templates, by name. */
export const listTemplates = defineOperation({
  name: 'list_templates',
  toolset: null,
  title: 'Templates',
  summary: 'The notes in the folder of templates that Obsidian is set to.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({}),
  run({ vault }) {
    const folder = templateFolder(vault.settings.obsidian('templates.json'));
    if (folder === '') return Promise.resolve({ templates: [] });
    const beginning = `${foldKey(folder)}/`;
    const templates = Array.from(vault.graph.entries())
      .filter(({ path }) => foldKey(path).startsWith(beginning))
      // In a sub-folder too; the name then begins with it.
      .map(({ path }) => ({ path, name: path.slice(folder.length + 1).replace(/\.md$/i, '') }))
      .sort((a, b) => compareNames(a.name, b.name));
    return Promise.resolve({ templates: templates.slice(0, MAX_TEMPLATES) });
  },
});
