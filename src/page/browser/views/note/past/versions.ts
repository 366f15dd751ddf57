import { noteAddress } from '../../../router.ts';
import type { Address } from '../../../router.ts';

/** Names the text of a note before or after one of its changes. `path`: the one it had then. */
export interface VersionName {
  readonly id: string;
  readonly path: string;
  readonly side: 'before' | 'after';
}

/** Returns the address of a version: `/note/a.md?version=…&side=before`. */
export function versionAddress({ id, path, side }: VersionName): string {
  return `${noteAddress(path)}?${new URLSearchParams({ version: id, side }).toString()}`;
}

/** Returns the version that an address names; null if it names the present note. */
export function versionOf({ path, query }: Address): VersionName | null {
  const id = query.get('version');
  if (id === null || id === '') return null;
  return { id, path: path.replace(/^\/note\//, ''), side: query.get('side') === 'before' ? 'before' : 'after' };
}
