import { join } from 'node:path';
import { readClientFile } from './client-files.ts';
import type { ClientEnvironment } from './client-files.ts';

/** A login to find the password of. */
export interface Login {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** The default folders of sockets: those of Debian and of PostgreSQL itself. */
export const SOCKET_FOLDERS: readonly string[] = ['/var/run/postgresql', '/run/postgresql', '/tmp'];

/** Finds the password of a login in `~/.pgpass`, or in the named file; null if there is none. Throws `INVALID_CONFIG` if other users may read the file. */
export function findPassword(login: Login, client: ClientEnvironment, named: string | undefined): string | null {
  const { env, home } = client;
  const usual = process.platform === 'win32' ? join(env['APPDATA'] ?? home, 'postgresql', 'pgpass.conf') : join(home, '.pgpass');
  const text = readClientFile(named ?? usual, { isNamed: named !== undefined, isPrivate: true });
  // The file says `localhost` for sockets in the default folders.
  const host = SOCKET_FOLDERS.includes(login.host) ? 'localhost' : login.host;
  const wanted = [host, String(login.port), login.database, login.user];
  for (const line of (text ?? '').split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = parseFields(line);
    if (fields.length === 5 && wanted.every((value, at) => fields[at] === '*' || fields[at] === value)) return fields[4] ?? null;
  }
  return null;
}

/** Splits a line at colons; a backslash escapes the next character. */
function parseFields(line: string): readonly string[] {
  const fields = [''];
  for (const [piece] of line.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === ':' && fields.length < 5) fields.push('');
    else fields[fields.length - 1] += piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
  }
  return fields;
}
