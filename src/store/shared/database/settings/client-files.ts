import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { RouxError } from '../../../../errors.ts';
import { readSmallFile } from '../../../../small-file.ts';

/** Where PostgreSQL's clients look for what a URL leaves out. */
export interface ClientPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The user's name on this machine: the role, where none is named. */
  readonly user: string;
}

/** This process's. */
export function ownClientPlace(): ClientPlace {
  return { env: process.env, home: homedir(), user: userName() };
}

/** In a container a user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] ?? process.env['LOGNAME'] ?? '';
  }
}

/** The path of a file of PostgreSQL's clients in the user's home: `~/.postgresql/root.crt`, or `%APPDATA%\postgresql\root.crt`. */
export function clientFile({ env, home }: ClientPlace, name: string): string {
  return process.platform === 'win32' ? join(env['APPDATA'] ?? home, 'postgresql', name) : join(home, '.postgresql', name);
}

interface HowToRead {
  /** Somebody named it: `INVALID_CONFIG` when it is not there. */
  readonly isNamed: boolean;
  readonly isPrivate?: boolean;
}

/** The text of such a file, or null when there is none; `INVALID_CONFIG` when it cannot be read. Links are followed: the files are the user's. */
export function readClientFile(path: string, { isNamed, isPrivate = false }: HowToRead): string | null {
  const file = readSmallFile(path, { followsLinks: true, isPrivate });
  if (file.kind === 'text') return file.text;
  if (file.kind === 'nothing' && !isNamed) return null;
  throw new RouxError('INVALID_CONFIG', `${path} ${file.kind === 'nothing' ? 'is not there' : file.why}.`, { path });
}

/** Throws for what the settings ask and cannot be had. */
export function refuseSettings(why: string): never {
  throw new RouxError('INVALID_CONFIG', `The store cannot be reached in the way that is asked for: ${why}.`);
}
