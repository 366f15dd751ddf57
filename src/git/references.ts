import { join } from 'node:path';
import { readSmallFile } from '../small-file.ts';
import { kindOf } from './repository.ts';

/** Longest chain of references. */
const MAX_STEPS = 5;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;
const PREFIXES = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];

/** The folders of git that a checkout has of its own, and that all worktrees share. */
interface Place {
  readonly own: string;
  readonly common: string;
}

/** Reads the commit of `HEAD` from the files of git's folder, without following links; null for none. */
export function readHead(place: Place): string | null {
  return follow(place, textIn(place.own, ['HEAD']));
}

/** Returns the id of the commit or tag that a branch or a tag names, as git looks for it (`main`, `v1`, `origin/main`); null for none. */
export function readReference(place: Place, name: string): string | null {
  if (name === 'HEAD' || name === '@') return readHead(place);
  for (const prefix of PREFIXES) {
    const full = prefix + name;
    const id = full.startsWith('refs/') ? follow(place, `ref: ${full}`) : null;
    if (id !== null) return id;
  }
  return follow(place, `ref: refs/remotes/${name}/HEAD`);
}

/** Returns the name of the branch that is checked out; null for none. */
export function readHeadBranch({ own }: Pick<Place, 'own'>): string | null {
  return /^ref: refs\/heads\/([^\s\\~^:?*[\0]+)\s*$/.exec(textIn(own, ['HEAD']) ?? '')?.[1] ?? null;
}

/** Whether `HEAD` names a branch that has no commit yet: nothing is at its place. */
export function isUnborn({ own, common }: Place): boolean {
  const branch = readHeadBranch({ own });
  const name = `refs/heads/${branch}`;
  return branch !== null && kindOf(join(common, name)) === null && packed(common, name) === null;
}

/** Whether the references are kept in a form that only git reads. */
export function hasReftable({ common }: Place): boolean {
  return kindOf(join(common, 'reftable')) !== null;
}

/** Returns the id in the text of a reference, or in the one that it names. */
function follow(place: Place, start: string | null): string | null {
  let text = start;
  for (let left = MAX_STEPS; left > 0 && text !== null; left -= 1) {
    const [, name] = /^ref: (refs\/[^\s\\~^:?*[\0]+)\s*$/.exec(text) ?? [];
    if (name === undefined) return idIn(text);
    const parts = name.split('/');
    if (parts.some((part) => part === '' || part.startsWith('.'))) return null;
    text = textIn(place.common, parts) ?? packed(place.common, name);
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

/** Returns the id in the file of a reference; null if there is none, or it names another reference. */
export function readId(git: string, parts: readonly string[]): string | null {
  return idIn(textIn(git, parts) ?? '');
}

function idIn(text: string): string | null {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text)?.[1] ?? null;
}
