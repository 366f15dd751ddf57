import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import type { RelaySocket } from '../faces/host.ts';
import type { NamedProcess } from '../ports.ts';
import { readSmallFile } from '../small-file.ts';
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
  /**
   * Reserves a number for a process that this one starts, so that only one is started of many that are asked for at once. Null if it is used,
   * or another living process has reserved it. Returns a function that ends the reservation, to be called once the started one listens or has
   * ended, and then removes the sockets of processes that are `gone`.
   */
  reserve(number: number, by: { readonly self: NamedProcess; readonly gone: readonly number[] }): (() => void) | null;
}

/** Part of the folder's key, since the path of a socket may have about a hundred characters. */
const KEY_CHARACTERS = 20;
/** The beginning of the name of a reservation. */
const RESERVED = 'next-';
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
    reserve(number, { self, gone }) {
      const file = join(folder, `${RESERVED}${number}`);
      if (!takeReservation(file, self)) return null;
      const release = (): void => removeFiles([file]);
      if ((list()[0] ?? 0) >= number) return (release(), null);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        release();
        // A number is used once: the files of old ones go when there is a higher one.
        if ((list()[0] ?? 0) >= number) removeFiles(gone.map((each) => join(folder, String(each))));
      };
    },
    async listen(number) {
      removeLeftovers(folder, number);
      const [path, draft] = [join(folder, String(number)), join(folder, `draft-${randomBytes(6).toString('hex')}`)];
      const server = createServer({ pauseOnConnect: true });
      await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(draft, resolve));
      try {
        // Linked only now, so that whoever finds the file can connect. A link to a name that exists fails.
        linkSync(draft, path);
        return relaySocketOf(server, key, () => isThere(vaultRoot, key));
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

/** Makes the file of a reservation; false if a living process holds it. */
function takeReservation(file: string, self: NamedProcess): boolean {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(file, self.name, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      if (isHeld(file, self)) return false;
      removeFiles([file]);
    }
  }
  return false;
}

/** Whether a process that has not ended made a reservation, or did so a moment ago where that cannot be told. */
function isHeld(file: string, self: NamedProcess): boolean {
  const found = readSmallFile(file);
  if (found.kind !== 'text') return found.kind !== 'nothing';
  const liveness = self.liveness(found.text);
  const ageMs = Date.now() - (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return liveness === 'alive' || (liveness === 'unknown' && ageMs < MAX_DRAFT_AGE_MS);
}

function removeFiles(files: readonly string[]): void {
  for (const file of files) {
    try {
      unlinkSync(file);
    } catch {
      // Another process has removed it, or it is a folder.
    }
  }
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket));
    // Later ones are followed by `close`.
    socket.on('error', reject);
  });
}

function relaySocketOf(server: Server, vault: string, isVaultThere: () => boolean): RelaySocket {
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
    vault,
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

/** Removes what processes have left that were killed: drafts, and reservations of lower numbers, which are used. */
function removeLeftovers(folder: string, number: number): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(RESERVED) && Number(name.slice(RESERVED.length)) < number) removeFiles([join(folder, name)]);
    if (!name.startsWith('draft-')) continue;
    const age = Date.now() - (lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > MAX_DRAFT_AGE_MS) rmSync(join(folder, name), { force: true });
  }
}
