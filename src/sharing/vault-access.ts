import type { Ports } from '../ports.ts';
import { RouxError } from '../errors.ts';
import { findRoot } from '../store/folder/root.ts';
import { toStoreError } from '../store/folder/system-error.ts';
import { listSharedVaults, openSharedVault } from '../store/shared/database/open-shared-vault.ts';
import type { SharedVault } from '../store/shared/shared-vault.ts';
import { parseStoreUrl } from '../store/shared/store-url.ts';
import type { StoreUrl } from '../store/shared/store-url.ts';
import { findRunningServer } from '../system/running-server.ts';
import { machineName, readMaxSharedFile } from '../system/shared-link.ts';

const MAX_LISTED_VAULTS = 10;

/** Runs a task with a shared vault and closes it. System errors are converted to those of a store. */
export async function withVault<T>(opening: Promise<SharedVault>, task: (shared: SharedVault) => Promise<T>): Promise<T> {
  const shared = await opening;
  try {
    return await task(shared);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await shared.close();
  }
}

/** Opens a vault that has been shared completely. Throws `UNAVAILABLE` while its files are still being added. */
export async function openCompleteVault(url: StoreUrl, ports: Ports): Promise<SharedVault> {
  const shared = await openVaultByName(url, ports);
  if (!shared.isIncomplete) return shared;
  await shared.close();
  const message = `The vault ${JSON.stringify(shared.name)} at ${shared.address} is still being put in: "roux share" has not come to its end on another machine. Clone it when that is done.`;
  throw new RouxError('UNAVAILABLE', message, undefined, { retryable: true });
}

/** Opens a vault. If none has this name, the error lists the existing ones. */
async function openVaultByName(url: StoreUrl, ports: Ports): Promise<SharedVault> {
  const options = { ports, machine: machineName(), ...readMaxSharedFile() };
  try {
    return await openSharedVault(url, options);
  } catch (error) {
    if (!(error instanceof RouxError) || error.code !== 'VAULT_NOT_FOUND' || error.details?.['vault'] === undefined) throw error;
    const vaults = (await listSharedVaults(url, options)).map(({ name }) => JSON.stringify(name));
    if (vaults.length === 0) throw error;
    throw new RouxError(
      error.code,
      `${error.message} It has ${vaults.slice(0, MAX_LISTED_VAULTS).join(', ')}${vaults.length > MAX_LISTED_VAULTS ? ' and others' : ''}.`,
      error.details,
    );
  }
}

/** Returns the process id of this user's server on a folder; null if none runs. */
export function findServerPid(root: string): number | null {
  try {
    return findRunningServer(findRoot(root))?.pid ?? null;
  } catch {
    // A file that others could have written does not count.
    return null;
  }
}

/** Returns the line that `~/.pgpass` lacks, if the store cannot be opened without the password in the URL; else null. */
export async function missingPassword(url: StoreUrl, ports: Ports): Promise<string | null> {
  if (url.password() === null) return null;
  const { options } = url;
  try {
    await (await openSharedVault(parseStoreUrl(url.url), { ports, machine: machineName() })).close();
    return null;
  } catch {
    const [host] = (options.get('host') ?? 'localhost').split(',');
    const [port] = (options.get('port') ?? '5432').split(',');
    const fields = [host || 'localhost', port || '5432', options.get('dbname') ?? '*', options.get('user') ?? '*'];
    return [...fields.map((field) => (field === '*' ? field : field.replace(/[\\:]/g, '\\$&'))), 'PASSWORD'].join(':');
  }
}
