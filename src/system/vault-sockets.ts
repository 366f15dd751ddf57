import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import type { RelaySocket } from '../faces/host.ts';
import { folderKey } from './folder-key.ts';
import { userStateFolder } from './user-folders.ts';

/**
 * The sockets at which this user's processes serve one vault to others. Each is a file in a private folder, named by a number: the process
 * that begins to serve last has the highest one. Two processes that begin at once want the same number, and only one gets it. A number is used
 * once, so that a file is only removed when there is a higher one, also when its process ends.
 */
export interface VaultSockets {
  /** Returns the numbers of the sockets, newest first. Some may be of processes that have ended. */
  list(): readonly number[];
  /** Connects to the process that listens at a socket; null if there is none any more. Rejects if the file is no socket, or the process is too busy. */
  connect(number: number): Promise<Socket | null>;
  /** Listens at a new socket; null if another process has just taken its number. */
  listen(number: number): Promise<RelaySocket | null>;
  /** Removes sockets of processes that have ended. */
  remove(numbers: readonly number[]): void;
}

/** Part of the folder's key, since the path of a socket may have about a hundred characters. */
const KEY_CHARACTERS = 20;
/** A draft only exists for an instant. */
const MAX_DRAFT_AGE_MS = 60_000;

/**
 * Returns the sockets for a vault; null if no other process may serve it: the folder is another user's, or this system has no sockets that
 * are files. Throws if the user's own folder cannot be used.
 */
export function openVaultSockets(vaultRoot: string): VaultSockets | null {
  const user = process.getuid?.();
  if (process.platform === 'win32' || user === undefined || statSync(vaultRoot).uid !== user) return null;
  const all = join(userStateFolder(), 'sockets');
  const key = folderKey(vaultRoot);
  const folder = join(all, key.slice(0, KEY_CHARACTERS));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Nobody else can put another socket there, or another folder.
  for (const each of [userStateFolder(), all, folder]) {
    const { uid, mode } = statSync(each);
    if (uid !== user || (mode & (each === folder ? 0o077 : 0o022)) !== 0) return null;
  }
  const list = (): number[] =>
    readdirSync(folder)
      .filter((name) => /^[1-9]\d{0,14}$/.test(name))
      .map(Number)
      .sort((a, b) => b - a);
  return {
    list,
    async connect(number) {
      try {
        return await open(join(folder, String(number)));
      } catch (error) {
        if (systemCode(error) !== 'ECONNREFUSED') throw error;
        return null;
      }
    },
    remove(numbers) {
      for (const number of numbers) {
        try {
          unlinkSync(join(folder, String(number)));
        } catch {
          // Another process has removed it, or it is a folder.
        }
      }
    },
    async listen(number) {
      removeDrafts(folder);
      const [path, draft] = [join(folder, String(number)), join(folder, `draft-${randomBytes(6).toString('hex')}`)];
      const server = createServer({ pauseOnConnect: true });
      await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(draft, resolve));
      try {
        // Linked only now, so that whoever finds the file can connect. A link to a name that exists fails.
        linkSync(draft, path);
        return relaySocketOf(server, () => isThere(vaultRoot, key));
      } catch (error) {
        server.close();
        if (systemCode(error) === 'EEXIST') return null;
        throw error;
      } finally {
        rmSync(draft, { force: true });
      }
    },
  };
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket));
    // Later ones are followed by `close`.
    socket.on('error', reject);
  });
}

function relaySocketOf(server: Server, isVaultThere: () => boolean): RelaySocket {
  const early: Socket[] = [];
  let pass = (socket: Socket): void => void early.push(socket);
  server.on('connection', (socket) => {
    // Followed by `close`.
    socket.on('error', () => undefined);
    pass(socket);
  });
  // The other side notices when a connection is not accepted.
  server.on('error', () => undefined);
  server.unref();
  return {
    isVaultThere,
    accept(onConnection) {
      pass = onConnection;
      for (const socket of early.splice(0)) onConnection(socket);
    },
    close() {
      server.close();
      for (const socket of early.splice(0)) socket.destroy();
    },
  };
}

function isThere(vaultRoot: string, key: string): boolean {
  try {
    return folderKey(vaultRoot) === key;
  } catch {
    // It was moved or removed.
    return false;
  }
}

/** Removes drafts of processes that were killed. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('draft-')) continue;
    const age = Date.now() - (lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > MAX_DRAFT_AGE_MS) rmSync(join(folder, name), { force: true });
  }
}
