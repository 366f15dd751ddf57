import { join } from 'node:path';
import { readClientFile } from './client-files.ts';
import type { ClientPlace } from './client-files.ts';

/** Whom a password is for. */
export interface Login {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** The password that `~/.pgpass`, or the file that is named, has for a login; null when it has none. `INVALID_CONFIG` when others may read it. */
export function findPassword(login: Login, place: ClientPlace, named: string | undefined): string | null {
  const { env, home } = place;
  const usual = process.platform === 'win32' ? join(env['APPDATA'] ?? home, 'postgresql', 'pgpass.conf') : join(home, '.pgpass');
  const text = readClientFile(named ?? usual, { isNamed: named !== undefined, isPrivate: true });
  // A socket in the folder where PostgreSQL has it goes by the name of this machine.
  const host = USUAL_SOCKETS.includes(login.host) ? 'localhost' : login.host;
  const wanted = [host, String(login.port), login.database, login.user];
  for (const line of (text ?? '').split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    if (fields.length === 5 && wanted.every((value, at) => fields[at] === '*' || fields[at] === value)) return fields[4] ?? null;
  }
  return null;
}

/** Where servers have their socket unless told otherwise: Debian's and the project's own. */
export const USUAL_SOCKETS: readonly string[] = ['/var/run/postgresql', '/run/postgresql', '/tmp'];

/** Fields between colons; a backslash takes the next character as it is. */
function fieldsOf(line: string): readonly string[] {
  const fields = [''];
  for (const [piece] of line.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === ':' && fields.length < 5) fields.push('');
    else fields[fields.length - 1] += piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
  }
  return fields;
}
