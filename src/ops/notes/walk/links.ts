import * as z from 'zod';
import type { GraphLink } from '../../../graph/view.ts';
import { APPLIES_TO } from '../../../note/anchors/anchors.ts';
import type { CodePath } from '../../../vault/code/notes-about.ts';
import { listNowhere } from '../../names/nowhere.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { findNote, requireNote } from '../../reference.ts';
import { findAttachment } from '../files/attachment.ts';
import { toNoteName } from '../../view.ts';

/** For a link whose note was removed meanwhile. */
const NO_LINE: LinkLine = { line: 0, text: '', start: 0, end: 0 };

/** Lists the links of one note, outgoing or incoming. */
export const noteLinks = defineOperation({
  name: 'note_links',
  toolset: null,
  title: 'Links of a note',
  summary: 'Every link from a note in the order of its text (out), or every link to it (in).',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ id: z.string(), direction: z.enum(['out', 'in']) }),
  async run(context, { id, direction }) {
    const path = await requireFile(context, id);
    const { graph } = context.vault;
    return direction === 'out' ? graph.links(path) : graph.backlinks(path);
  },
});

/** Lists the links to a note, each with its line. */
export const backlinkLines = defineOperation({
  name: 'backlink_lines',
  toolset: null,
  title: 'Backlinks with their lines',
  summary: 'Every link to a note, or every note about a path of code, with its title, the number of the line and the line.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ id: z.string() }),
  async run(context, { id }) {
    const { vault } = context;
    const note = await findNote(context, id);
    const file = note === null ? findAttachment(context, id) : null;
    const { findNotesAboutFile } = await import('../../../vault/code/notes-about.ts');
    const code = note === null ? await findNotesAboutFile(vault, id, file) : null;
    const about = code === null ? [] : await linesAbout(context, code);
    if (file === null && code !== null && (code.isThere || about.length > 0)) return about;
    const path = note?.path ?? file ?? (await requireNote(context, id)).path;
    const sources = [...new Set(vault.graph.backlinks(path).map(({ from }) => from))];
    const found: BacklinkLine[] = [...about];
    for (const from of sources) {
      const note = (await vault.notes.read(from))?.note;
      const title = vault.graph.get(from)?.title ?? from;
      for (const [at, link] of vault.graph.links(from).entries()) {
        if (link.target.kind === 'unresolved' || link.target.path !== path) continue;
        const span = note?.links[at];
        found.push({ ...link, title, ...(note === undefined || span === undefined ? NO_LINE : lineOf(note.text, span)) });
      }
    }
    return found;
  },
});

/** A line of a note with a link to a note or file, or with the anchor that names code. */
type BacklinkLine = LinkLine & Partial<GraphLink> & Pick<GraphLink, 'from'> & { readonly title: string; readonly applies_to?: string };

/** Returns the lines in which notes say that they are about a path of code. */
async function linesAbout({ vault }: OperationContext, { notes }: CodePath): Promise<readonly BacklinkLine[]> {
  const found: BacklinkLine[] = [];
  for (const { note, anchors } of notes) {
    const { path: from, title } = note.entry;
    const text = (await vault.notes.read(from))?.note.text ?? '';
    for (const anchor of anchors) {
      const start = text.indexOf(anchor, Math.max(0, text.indexOf(APPLIES_TO)));
      found.push({ from, title, applies_to: anchor, ...(start < 0 ? NO_LINE : lineOf(text, { start, end: start + anchor.length })) });
    }
  }
  return found;
}

/** Resolves a reference to the path of a note, or else of an attachment. */
async function requireFile(context: OperationContext, reference: string): Promise<string> {
  const found = await findNote(context, reference);
  return found?.path ?? findAttachment(context, reference) ?? (await requireNote(context, reference)).path;
}

/** The position of a link: its line number (1-based), the line, and its range in the line. */
export interface LinkLine {
  readonly line: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the line in which a span of a text begins. */
export function lineOf(text: string, span: { readonly start: number; readonly end: number }): LinkLine {
  const before = text.slice(0, span.start);
  const from = before.lastIndexOf('\n') + 1;
  const end = text.indexOf('\n', span.start);
  const whole = text.slice(from, end < 0 ? text.length : end);
  const indent = /^\s*/.exec(whole)?.[0].length ?? 0;
  const shown = whole.trim();
  const place = (at: number): number => Math.max(0, Math.min(shown.length, at - from - indent));
  return { line: before.split('\n').length, text: shown, start: place(span.start), end: place(span.end) };
}

/** Lists unresolved links. */
export const unresolvedLinks = defineOperation({
  name: 'unresolved_links',
  toolset: null,
  title: 'Unresolved links',
  summary: 'Links that lead nowhere, with the notes that hold them.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  run: ({ vault }) => listNowhere(vault).map(({ linkpath, count, sources }) => ({ linkpath, count, sources })),
});

/** Lists notes without links. */
export const looseNotes = defineOperation({
  name: 'loose_notes',
  toolset: null,
  title: 'Loose notes',
  summary: 'Notes without links in or out (orphans), or without links out (dead_ends).',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ kind: z.enum(['orphans', 'dead_ends']) }),
  run({ vault }, { kind }) {
    const notes = kind === 'orphans' ? vault.graph.walk.orphans() : vault.graph.walk.deadEnds();
    return notes.map(toNoteName);
  },
});
