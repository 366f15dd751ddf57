import { RouxError } from '../../../errors.ts';
import type { Vault } from '../../../vault/vault.ts';
import { shorten } from '../../shorten.ts';

/** Returns a folder of the vault as it is named inside; `''` for the vault itself. */
export function folderName(folder: string): string {
  const names = folder.split(/[\\/]+/).filter((name) => name !== '' && name !== '.');
  // An absolute path would otherwise be taken for one in the vault.
  if (names.includes('..') || /^(?:[\\/]|[A-Za-z]:)/.test(folder))
    throw new RouxError('INVALID_PARAMS', `${shorten(folder, 200)} is no path of a folder from the top of the vault.`);
  return names.join('/');
}

/** Returns the bundle at a folder, or all bundles of the vault. Throws `INVALID_PARAMS` if there is none. */
export function topsFor({ graph }: Pick<Vault, 'graph'>, folder: string | undefined): readonly string[] {
  const { tops } = graph.bundles;
  const wanted = folder === undefined ? null : folderName(folder);
  if (wanted === null ? tops.length > 0 : tops.includes(wanted)) return wanted === null ? tops : [wanted];
  const what = wanted === null ? 'The vault has no bundle' : `${shorten(folder ?? '', 200)} is no bundle`;
  const message = `${what} of the Open Knowledge Format: neither names the setting okf.bundles one, nor has an index.md okf_version in its frontmatter.`;
  throw new RouxError('INVALID_PARAMS', message, { bundles: tops });
}
