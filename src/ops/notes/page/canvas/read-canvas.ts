import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import type { Note } from '../../../../note/note.ts';
import { parseNote } from '../../../../note/parse.ts';
import { fileName } from '../../../../note/path.ts';
import type { NotePath } from '../../../../note/path.ts';
import { textOf } from '../../../../vault/read-files.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { defineOperation } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { parseCanvas } from '../../files/canvas-json.ts';
import { renderNote } from '../render.ts';
import { parseNodes } from './parse-nodes.ts';
import { MAX_NAME_CHARACTERS, showNodes } from './show-nodes.ts';

export const MAX_CANVAS_BYTES = 4_000_000;

/** Returns a canvas with its texts rendered, its files looked up, and its edges. */
export const readCanvas = defineOperation({
  name: 'read_canvas',
  toolset: null,
  title: 'A canvas',
  summary: 'The nodes of a .canvas file with their places, texts as sanitised HTML, and the edges between them.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096).describe('Path of a .canvas file') }),
  async run({ vault }, { path }) {
    await vault.refresh('changed');
    const { graph, notes } = vault;
    const size = notes.timesOf(path)?.size ?? 0;
    if (size > MAX_CANVAS_BYTES) return problem(path, `This canvas is larger than ${MAX_CANVAS_BYTES / 1_000_000} MB, so it is not shown.`);
    const text = graph.isAttachment(path) ? textOf(notes.readAttachment(path)) : null;
    if (text === null) throw new RouxError('NODE_NOT_FOUND', `There is no canvas at ${shorten(path, MAX_NAME_CHARACTERS)}.`, { path });
    const canvas = parseCanvas(text);
    if (canvas === null) return problem(path, 'This file is not a canvas: its JSON cannot be read.');
    const { nodes, edges, notices } = parseNodes(canvas);
    const shown = await showNodes({ graph, renderText: (each) => renderText(vault, path, each) }, nodes);
    return { kind: 'canvas' as const, path, name: nameOf(path), nodes: shown, edges, notices };
  },
});

function problem(path: string, message: string) {
  return { kind: 'problem' as const, name: nameOf(path), message };
}

function nameOf(path: string): string {
  return fileName(path).replace(/\.canvas$/i, '');
}

async function renderText(vault: Vault, path: string, text: string): Promise<string> {
  const { html } = await renderNote(vault, textNote(path, text), { isPreview: true });
  return html;
}

/** Returns the text of a node as a note. The empty line keeps a ruler at its beginning from being read as properties. */
export function textNote(path: string, text: string): Note {
  return parseNote(path as NotePath, `\n${text}`);
}
