import { join } from 'node:path';
import { readSmallFile } from '../small-file.ts';
import { kindOf } from './repository.ts';

/** Longest chain of references. */
const MAX_STEPS = 5;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;

/** Reads the commit of `HEAD` from the files of git's folder, without following links; null for none. */
export function readHead(git: string): string | null {
  let text = textIn(git, ['HEAD']);
  for (let left = MAX_STEPS; left > 0 && text !== null; left -= 1) {
    const [, name] = /^ref: (refs\/[^\s\\~^:?*[\0]+)\s*$/.exec(text) ?? [];
    if (name === undefined) return idIn(text);
    const parts = name.split('/');
    if (parts.some((part) => part === '' || part.startsWith('.'))) return null;
    text = textIn(git, parts) ?? packed(git, name);
  }
  return null;
}

function textIn(git: string, parts: readonly string[]): string | null {
  for (let depth = 1; depth < parts.length; depth++) if (kindOf(join(git, ...parts.slice(0, depth))) !== 'folder') return null;
  const file = readSmallFile(join(git, ...parts), { mostBytes: 4096 });
  return file.kind === 'text' ? file.text : null;
}

function packed(git: string, name: string): string | null {
  const file = readSmallFile(join(git, 'packed-refs'), { mostBytes: MAX_PACKED_BYTES });
  if (file.kind !== 'text') return null;
  // Searched as text, since it may have millions of lines.
  const end = `${file.text}\n`.indexOf(` ${name}\n`);
  return end < 0 ? null : file.text.slice(file.text.lastIndexOf('\n', end) + 1, end);
}

function idIn(text: string): string | null {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text)?.[1] ?? null;
}
