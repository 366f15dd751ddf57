import { createTwoFilesPatch } from 'diff';
import type { PreparedFile } from './prepare.ts';

/** The unified diff of prepared files, as git prints it; files that are no text are only named. */
export function unifiedDiff(files: readonly PreparedFile[]): string {
  return files.map(diffOne).join('');
}

function diffOne(file: PreparedFile): string {
  const { pathBefore, pathAfter } = file.sides;
  const [before, after] = [file.sides.before ?? '', file.sides.after ?? ''];
  const [from, to] = [pathBefore === null ? '/dev/null' : `a/${pathBefore}`, pathAfter === null ? '/dev/null' : `b/${pathAfter}`];
  const isMoved = pathBefore !== null && pathAfter !== null && pathBefore !== pathAfter;
  const head = isMoved ? `rename from ${pathBefore}\nrename to ${pathAfter}\n` : '';
  if (before === after) return isMoved ? head : `${from} -> ${to}\n`;
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, { context: 3 });
  return head + patch.slice(patch.indexOf('--- '));
}
