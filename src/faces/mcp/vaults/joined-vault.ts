import { RouxError } from '../../../errors.ts';
import { shorten } from '../../../ops/shorten.ts';
import { didYouMean } from '../../../suggest.ts';
import type { Host } from '../../host.ts';
import type { Surface } from '../surface/surface.ts';

/** One of several vaults that a client uses together. */
export interface JoinedVault {
  readonly name: string;
  readonly host: Host;
  /** What the client is offered of this vault. */
  readonly surface: Surface;
}

const MAX_NAME_CHARACTERS = 100;

/** Returns the vault of a name. Throws `INVALID_PARAMS`, with the names that there are. No two differ in case alone (`nameVaults`). */
export function findJoined(vaults: readonly JoinedVault[], name: unknown): JoinedVault {
  const wanted = typeof name === 'string' ? name.normalize('NFC').toLowerCase() : null;
  const found = vaults.find((vault) => vault.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const names = vaults.map((vault) => vault.name);
  const given = shorten(typeof name === 'string' ? name : JSON.stringify(name), MAX_NAME_CHARACTERS);
  throw new RouxError('INVALID_PARAMS', `There is no vault "${given}"${didYouMean(given, names)} Vaults: ${names.join(', ')}.`);
}
