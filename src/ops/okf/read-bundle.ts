import { RouxError } from '../../errors.ts';
import { declaresBundle } from '../../graph/links/bundles.ts';
import { INDEX } from '../../note/okf/reserved.ts';
import { joinPath } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';
import { notesOfBundle } from './find-okf.ts';

/** A file of a bundle. */
export interface BundleFile {
  /** From the top of the bundle. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What is not taken along, and why, as a clause. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** Files and bytes of a bundle that are read at once. */
const MAX_FILES = 20_000;
const MAX_BYTES = 128 * 1024 * 1024;

/** Reads every file of a bundle as it is. `declares`: its `index.md` says that it is one. Throws `INVALID_PARAMS` for a bundle that is too large. */
export function readBundle(
  vault: Pick<Vault, 'graph' | 'notes'>,
  top: string,
): { readonly files: readonly BundleFile[]; readonly left: readonly LeftOut[]; readonly declares: boolean } {
  const { graph, notes } = vault;
  const paths: string[] = [];
  for (const { path } of notesOfBundle(graph, top)) paths.push(path);
  for (const path of graph.attachments()) if (graph.bundles.topOf(path) === top) paths.push(path);
  const files: BundleFile[] = [];
  const left: LeftOut[] = [];
  let size = 0;
  for (const path of paths.sort()) {
    const own = path.slice(top === '' ? 0 : top.length + 1);
    size += notes.timesOf(path)?.size ?? 0;
    if (files.length >= MAX_FILES || size > MAX_BYTES) {
      const limit = `${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MB`;
      throw new RouxError('INVALID_PARAMS', `The bundle has more than ${limit}; take a folder of it at a time.`, { limit });
    }
    const bytes = notes.readBytes(path);
    if (bytes === null) left.push({ path: own, reason: 'it is a link or cannot be read' });
    else files.push({ path: own, bytes });
  }
  const index = graph.get(joinPath(top, INDEX));
  return { files, left, declares: index !== null && declaresBundle(index) };
}
