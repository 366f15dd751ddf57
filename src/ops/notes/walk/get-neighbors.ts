import * as z from 'zod';
import { connectionsByEnd } from '../../connections/show-connections.ts';
import { warnOfMissingNotes } from '../../names/near-names.ts';
import { defineOperation } from '../../operation.ts';
import { findGhost, findNote, throwNoteNotFound } from '../../reference.ts';
import { similarNotes } from './similar-notes.ts';
import { findAttachment } from '../files/attachment.ts';
import { fieldsInput, LIST_CONTENT_CHARACTERS, toNodeList, warnOfMore } from '../../lists/node-list.ts';
import type { Listed } from '../../lists/node-list.ts';

/** Lists the notes that a note links to and those that link to it, or similar notes that are not linked yet. */
export const getNeighbors = defineOperation({
  name: 'get_neighbors',
  toolset: 'vault',
  title: 'Linked notes',
  summary: 'Notes linking here (in), linked from here (out), or about a path of code; similar: near in meaning.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    id: z.string().describe('Id, path, title or alias'),
    direction: z.enum(['in', 'out', 'both']).default('both').describe('in: notes that link to it'),
    similar: z.boolean().default(false).describe('Near in meaning instead of linked'),
    limit: z.int().min(1).max(50).default(20).describe('Notes'),
    offset: z.int().min(0).default(0).describe('Notes to skip'),
    include_content: z.boolean().default(true).describe('false: no text of notes'),
    fields: fieldsInput.describe('As in search'),
  }),
  async run(context, { id, direction, similar: isSimilar, limit, offset, include_content: includeContent, fields }) {
    const entry = await findNote(context, id);
    const { graph } = context.vault;
    if (isSimilar) {
      if (entry === null) throwNoteNotFound(context, id);
      await context.vault.refresh('changed');
      const found = await similarNotes(context, entry, { limit, offset });
      const listed = toNodeList(context, found.notes, { contentLength: LIST_CONTENT_CHARACTERS, includeContent, fields });
      warnOfMore(context, { kind: 'similar notes', total: found.total, offset, shown: listed.length });
      return listed;
    }
    const all: readonly Listed[] = entry === null ? await linkersOf() : graph.walk.neighbors(entry.path, direction);
    const typed = entry === null ? null : connectionsByEnd(context.vault, entry);
    const listed = all.slice(offset, offset + limit).map((each) => {
      const connections = typed?.get(each.entry.path);
      return connections === undefined ? each : { ...each, connections };
    });
    const shown = toNodeList(context, listed, { contentLength: LIST_CONTENT_CHARACTERS, includeContent, fields });
    warnOfMore(context, { kind: 'neighbors', total: all.length, offset, shown: shown.length });
    return shown;

    /** Returns the notes about a path of code, and those that link to an attachment or an unresolved target. */
    async function linkersOf(): Promise<readonly Listed[]> {
      const file = findAttachment(context, id);
      const ghost = file === null ? findGhost(graph, id) : null;
      const { findNotesAboutFile } = await import('../../../vault/code/notes-about.ts');
      const code = await findNotesAboutFile(context.vault, id, file);
      const about = new Map(code?.notes.map(({ note, anchors }) => [note.entry.path as string, anchors]));
      if (file === null && ghost === null && about.size === 0 && code?.isThere !== true) warnOfMissingNotes(context, [id]);
      if (direction === 'out') return [];
      const sources = file === null ? (ghost?.sources ?? []) : graph.backlinks(file).map(({ from }) => from);
      return [...new Set([...about.keys(), ...sources])].flatMap((source) => {
        const linker = graph.get(source);
        const anchors = about.get(source);
        if (linker === null || linker.isHidden) return [];
        return [{ entry: linker, direction: 'in' as const, ...(anchors === undefined ? {} : { applies_to: anchors }) }];
      });
    }
  },
});
