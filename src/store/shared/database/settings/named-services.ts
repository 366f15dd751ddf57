import { join } from 'node:path';
import { RouxError } from '../../../../errors.ts';
import { readClientFile } from './client-files.ts';
import type { ClientPlace } from './client-files.ts';

/** What the service files say of a service, by the names of options: the user's file, then the machine's. `INVALID_CONFIG` where neither has it. */
export function readService(service: string, place: ClientPlace, named: string | undefined): ReadonlyMap<string, string> {
  const { env, home } = place;
  const ofUser =
    process.platform === 'win32' ? join(env['APPDATA'] ?? home, 'postgresql', '.pg_service.conf') : join(home, '.pg_service.conf');
  const ofMachine = join(env['PGSYSCONFDIR'] ?? '/etc/postgresql-common', 'pg_service.conf');
  const looked = [named ?? ofUser, ofMachine];
  for (const [index, path] of looked.entries()) {
    const text = readClientFile(path, { isNamed: index === 0 && named !== undefined });
    const found = text === null ? null : sectionOf(text, service, path);
    if (found !== null) return found;
  }
  throw new RouxError('INVALID_CONFIG', `No service ${JSON.stringify(service)} in ${looked.join(' or ')}.`, { service });
}

function sectionOf(text: string, service: string, path: string): ReadonlyMap<string, string> | null {
  let section: Map<string, string> | null = null;
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const heading = /^\[(.*)\]$/.exec(line);
    if (heading !== null) {
      // The first section with the name counts, and ends with the next one.
      if (section !== null) return section;
      if (heading[1] === service) section = new Map();
    } else if (section !== null) {
      const [, name, value = ''] = /^([a-z_]+)\s*=\s*(?!\s)(.*)$/.exec(line) ?? [];
      // The line may hold a password.
      if (name === undefined)
        throw new RouxError('INVALID_CONFIG', `Service ${JSON.stringify(service)} in ${path} has a line that is not name=value.`);
      section.set(name, value);
    }
  }
  return section;
}
