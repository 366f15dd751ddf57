import { createHash } from 'node:crypto';

import type { Relink } from '../note/change.ts';
import { splitLinkText } from '../note/link-text.ts';
import { normalizeId } from '../note/path.ts';
import { readLinks, relinkSplices } from '../note/relink.ts';
import { applySplices } from '../note/splice.ts';
import type { Splice } from '../note/splice.ts';
import type { FileMoves } from './file-lookup.ts';
import { jsonOffsets, jsonStrings } from './json-text.ts';
import type { JsonString } from './json-text.ts';
import type { MoveContext } from './move.ts';
import type { FileChange } from './plan.ts';
import type { LinkFates } from './relinks.ts';

/**
 * Changes to the canvases that show or link moved files: values are spliced, the rest of the JSON keeps its bytes.
 * `moved` holds what takes the place of a plain move, by the old path.
 */
export function planCanvases(
  context: MoveContext,
  fates: LinkFates,
  files: FileMoves,
): { files: FileChange[]; moved: ReadonlyMap<string, readonly FileChange[]>; warnings: string[] } {
  const changes: FileChange[] = [];
  const moved = new Map<string, readonly FileChange[]>();
  const warnings: string[] = [];
  const moves = new Map([...files.moves].map(([from, to]) => [normalizeId(from), to]));
  for (const path of context.graph.attachments()) {
    if (!/\.canvas$/i.test(path)) continue;
    const text = context.readText(path);
    if (text === null || text.trim() === '') continue;
    const strings = readStrings(text);
    if (strings === null) {
      warnings.push(`${path}: the canvas is not valid JSON; links in it were left alone.`);
      continue;
    }
    const splices = strings.flatMap((string) => stringSplices(path, text, string, { fates, moves }));
    if (splices.length === 0) continue;
    const hash = createHash('sha256').update(text, 'utf8').digest('hex');
    const target = fates.placeOf(path);
    if (target === path) changes.push({ kind: 'splice', path, hash, splices });
    else {
      // A move carries changes of notes only, so a canvas that moves and changes is made anew.
      const base64 = Buffer.from(applySplices(text, splices)).toString('base64');
      const gone: FileChange = { kind: 'remove', path, to: 'gone', expect: { etag: hash } };
      moved.set(path, [{ kind: 'create-bytes', path: target, base64 }, gone]);
    }
  }
  return { files: changes, moved, warnings };
}

function stringSplices(
  path: string,
  text: string,
  string: JsonString,
  { fates, moves }: { fates: LinkFates; moves: ReadonlyMap<string, string> },
): Splice[] {
  const [list, , key] = string.way;
  if (list !== 'nodes' || string.way.length !== 3) return [];
  const value = JSON.parse(text.slice(string.start, string.end)) as string;
  if (key === 'file' || key === 'background') {
    const to = moves.get(normalizeId(value));
    return to === undefined ? [] : [{ start: string.start, end: string.end, text: JSON.stringify(normalizeId(to)) }];
  }
  if (key !== 'text') return [];
  const relinks = readLinks(value).flatMap((link): Relink[] => {
    const fate = fates.fateOf({ form: link.form, ...splitLinkText(link.link) }, path);
    return fate?.kind === 'relink' ? [fate.relink] : [];
  });
  if (relinks.length === 0) return [];
  const offsets = jsonOffsets(text, string);
  return relinkSplices(path, value, relinks).map((splice) => ({
    start: offsets[splice.start] ?? string.end - 1,
    end: offsets[splice.end] ?? string.end - 1,
    text: JSON.stringify(splice.text).slice(1, -1),
  }));
}

function readStrings(text: string): JsonString[] | null {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return jsonStrings(text);
  } catch {
    return null;
  }
}
