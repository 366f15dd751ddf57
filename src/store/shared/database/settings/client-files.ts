import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { RouxError } from '../../../../errors.ts';
import { readSmallFile } from '../../../../small-file.ts';

/** Where PostgreSQL's clients look for what a URL leaves out. */
export interface ClientEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The user's name on this machine: the role, where none is named. */
  readonly user: string;
}

/** Returns the environment of this process. */
export function readClientEnvironment(): ClientEnvironment {
  return { env: process.env, home: homedir(), user: userName() };
}

/** Returns the name of the user. In a container a user may have a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] ?? process.env['LOGNAME'] ?? '';
  }
}

/** Returns the path of a file of PostgreSQL's clients in the user's home: `~/.postgresql/root.crt`, or `%APPDATA%\postgresql\root.crt`. */
export function clientFile({ env, home }: ClientEnvironment, name: string): string {
  return process.platform === 'win32' ? join(env['APPDATA'] ?? home, 'postgresql', name) : join(home, '.postgresql', name);
}

interface ReadOptions {
  /** The settings name the file: `INVALID_CONFIG` if it does not exist. */
  readonly isNamed: boolean;
  readonly isPrivate?: boolean;
}

/** Reads such a file; null if it does not exist, `INVALID_CONFIG` if it cannot be read. Follows links, as the files belong to the user. */
export function readClientFile(path: string, { isNamed, isPrivate = false }: ReadOptions): string | null {
  const file = readSmallFile(path, { followsLinks: true, isPrivate });
  if (file.kind === 'text') return file.text;
  if (file.kind === 'nothing' && !isNamed) return null;
  throw new RouxError('INVALID_CONFIG', `${path} ${file.kind === 'nothing' ? 'does not exist' : file.why}.`, { path });
}

/** Throws `INVALID_CONFIG` for settings that cannot be met. */
export function rejectSettings(why: string): never {
  throw new RouxError('INVALID_CONFIG', `The settings of the store cannot be used: ${why}.`);
}
