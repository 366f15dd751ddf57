import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { parseNote } from '../../../../note/parse.ts';
import { fileName } from '../../../../note/path.ts';
import type { NotePath } from '../../../../note/path.ts';
import { textOf } from '../../../../vault/read-files.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { defineOperation } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { parseCanvas } from '../../files/canvas-json.ts';
import { plainLine } from '../plain-line.ts';
import { renderNote } from '../render.ts';
import { parseNodes } from './parse-nodes.ts';
import type { ParsedNode } from './parse-nodes.ts';

const MAX_CANVAS_BYTES = 4_000_000;
const MAX_NAME_CHARACTERS = 120;
/** Limits of texts that are rendered as Markdown; others are shown as they are written. */
const MAX_RENDERED_NODES = 400;
const MAX_RENDERED_CHARACTERS = 200_000;
/** Each may embed many notes. */
const MAX_EMBEDDING_NODES = 20;

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
    const shown = await showNodes(vault, path, nodes);
    return { kind: 'canvas' as const, path, name: nameOf(path), nodes: shown, edges, notices };
  },
});

function problem(path: string, message: string) {
  return { kind: 'problem' as const, name: nameOf(path), message };
}

function nameOf(path: string): string {
  return fileName(path).replace(/\.canvas$/i, '');
}

/** Adds to each node what the page shows of it, with a name for lists. */
async function showNodes(vault: Vault, path: string, nodes: readonly ParsedNode[]) {
  const budget = { nodes: MAX_RENDERED_NODES, characters: MAX_RENDERED_CHARACTERS, embedding: MAX_EMBEDDING_NODES };
  return Promise.all(
    nodes.map(async (node) => {
      switch (node.kind) {
        case 'text': {
          const name = shorten(plainLine(node.text.slice(0, 4 * MAX_NAME_CHARACTERS)).text, MAX_NAME_CHARACTERS);
          const html = spend(budget, node.text) ? await renderText(vault, path, node.text) : null;
          return { ...node, name, html };
        }
        case 'file': {
          const entry = vault.graph.get(node.file);
          const shows = entry !== null ? ('note' as const) : vault.graph.isAttachment(node.file) ? ('file' as const) : ('nothing' as const);
          const heading = node.subpath.replace(/^#+/, '');
          return { ...node, name: shorten(entry?.title ?? fileName(node.file), MAX_NAME_CHARACTERS), shows, heading };
        }
        case 'link':
          return {
            ...node,
            name: shorten(node.url, MAX_NAME_CHARACTERS),
            is_web: /^https?:\/\//i.test(node.url) && URL.canParse(node.url),
          };
        case 'group':
          return { ...node, name: node.label };
      }
    }),
  );
}

/** Whether a text is still rendered, counted against the limits of a canvas. */
function spend(budget: { nodes: number; characters: number; embedding: number }, text: string): boolean {
  budget.nodes -= 1;
  budget.characters -= text.length;
  if (/!\[/.test(text)) budget.embedding -= 1;
  return budget.nodes >= 0 && budget.characters >= 0 && budget.embedding >= 0;
}

async function renderText(vault: Vault, path: string, text: string): Promise<string> {
  // The empty line before it keeps a ruler at the beginning from being read as properties.
  const note = parseNote(path as NotePath, `\n${text}`);
  const { html } = await renderNote(vault, note, { isPreview: true });
  return html;
}
