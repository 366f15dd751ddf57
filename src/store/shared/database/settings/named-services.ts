import { join } from 'node:path';
import { RouxError } from '../../../../errors.ts';
import { readClientFile } from './client-files.ts';
import type { ClientEnvironment } from './client-files.ts';

/** Returns the options of a service from the service file of the user, or that of the machine. Throws `INVALID_CONFIG` if neither has it. */
export function readService(service: string, client: ClientEnvironment, named: string | undefined): ReadonlyMap<string, string> {
  const { env, home } = client;
  const ofUser =
    process.platform === 'win32' ? join(env['APPDATA'] ?? home, 'postgresql', '.pg_service.conf') : join(home, '.pg_service.conf');
  const ofMachine = join(env['PGSYSCONFDIR'] ?? '/etc/postgresql-common', 'pg_service.conf');
  const paths = [named ?? ofUser, ofMachine];
  for (const [index, path] of paths.entries()) {
    const text = readClientFile(path, { isNamed: index === 0 && named !== undefined });
    const found = text === null ? null : parseSection(text, service, path);
    if (found !== null) return found;
  }
  throw new RouxError('INVALID_CONFIG', `No service ${JSON.stringify(service)} in ${paths.join(' or ')}.`, { service });
}

function parseSection(text: string, service: string, path: string): ReadonlyMap<string, string> | null {
  let section: Map<string, string> | null = null;
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const heading = /^\[(.*)\]$/.exec(line);
    if (heading !== null) {
      // The first section of that name is used; it ends at the next heading.
      if (section !== null) return section;
      if (heading[1] === service) section = new Map();
    } else if (section !== null) {
      const [, name, value = ''] = /^([a-z_]+)\s*=\s*(?!\s)(.*)$/.exec(line) ?? [];
      // The message does not quote the line, which may contain a password.
      if (name === undefined)
        throw new RouxError('INVALID_CONFIG', `Service ${JSON.stringify(service)} in ${path} has a line that is not name=value.`);
      section.set(name, value);
    }
  }
  return section;
}
