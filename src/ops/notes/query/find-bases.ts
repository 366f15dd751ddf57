import { RouxError } from '../../../errors.ts';
import { fileName, foldKey } from '../../../note/path.ts';
import { didYouMean } from '../../../suggest.ts';
import { baseLimits, readBase } from '../../../query/bases/read-bases.ts';
import type { Base } from '../../../query/bases/read-bases.ts';
import type { Vault } from '../../../vault/vault.ts';
import { textOf } from '../../../vault/read-files.ts';

/** Maximum number of bases named in an error. */
const MAX_NAMED = 20;

/** A parsed `.base` file of the vault. */
export interface FoundBase {
  readonly path: string;
  readonly base: Base;
}

/**
 * Finds the base for a reference: its path, or its name where one file has it; `.base` may be omitted. Throws `NODE_NOT_FOUND` or
 * `AMBIGUOUS` naming candidates, or `INVALID_PARAMS` for content that cannot be parsed.
 */
export function findBase(vault: Vault, reference: string): FoundBase {
  const path = pathOf(vault, reference);
  // A character has at most four bytes, so a longer file exceeds the limit and is not read.
  const size = vault.notes.timesOf(path)?.size ?? 0;
  const text = size > 4 * baseLimits.characters ? 'x'.repeat(baseLimits.characters + 1) : textOf(vault.notes.readAttachment(path));
  if (text === null) throw new RouxError('IO_ERROR', `${path} cannot be read.`, { path });
  return { path, base: readBase(text, path) };
}

function pathOf({ graph }: Vault, reference: string): string {
  const wanted = reference
    .replaceAll('\\', '/')
    .replace(/^\[\[|\]\]$/g, '')
    .replace(/^(?:\.?\/)+/, '');
  const named = /\.base$/i.test(wanted) ? wanted : `${wanted}.base`;
  if (graph.isAttachment(named)) return named;
  const key = foldKey(named);
  const bases = [...graph.attachments()].filter((path) => /\.base$/i.test(path));
  const exact = bases.filter((path) => foldKey(path) === key);
  const found = exact.length > 0 ? exact : bases.filter((path) => foldKey(path).endsWith(`/${key}`));
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined) {
    const near = didYouMean(
      named,
      bases.flatMap((path) => [path, fileName(path)]),
    );
    const there = bases.length === 0 ? ' The vault has none.' : ` Bases: ${bases.slice(0, MAX_NAMED).join(', ')}.`;
    throw new RouxError('NODE_NOT_FOUND', `There is no base "${reference}"${near}${there}`, { base: reference });
  }
  throw new RouxError('AMBIGUOUS', `"${reference}" names ${found.length} bases; use a path: ${found.slice(0, MAX_NAMED).join(', ')}.`, {
    candidates: found.slice(0, MAX_NAMED),
  });
}
