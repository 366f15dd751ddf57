import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import type { RunningServer } from '../faces/host.ts';
import { isRecord } from '../is-record.ts';
import { migrateFileName } from './folder-key.ts';
import { readPrivateFile } from './private-file.ts';
import { userStateFolder } from './user-folders.ts';

/** Returns the user's folder with the files about servers. */
export function serversFolder(): string {
  return join(userStateFolder(), 'servers');
}

/** Returns the name of the file about one vault, which is independent of the path with which the vault was opened. */
export function serverFileName(vaultRoot: string, kind: 'token' | 'json' | 'tokens' | 'session' | 'oauth'): string {
  return migrateFileName(serversFolder(), vaultRoot, kind);
}

/** Returns this user's running server for a vault; null if there is none or its file is invalid. */
export function findRunningServer(vaultRoot: string): RunningServer | null {
  const text = readPrivateFile(join(serversFolder(), serverFileName(vaultRoot, 'json')));
  const server = text === null ? null : parse(text);
  return server !== null && isAlive(server.pid) ? server : null;
}

function parse(text: string): RunningServer | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return null;
    const { pid, url, vault, started, key } = value;
    if (!Number.isSafeInteger(pid) || typeof url !== 'string' || !/^http:\/\/[^/]+(?:\/[^/]+)?$/.test(url)) return null;
    if (typeof vault !== 'string' || typeof started !== 'string' || typeof key !== 'string' || key.length < 32) return null;
    return { pid: Number(pid), url, vault, started, key };
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Windows refuses to look at one that runs with more rights.
    return systemCode(error) === 'EPERM';
  }
}
