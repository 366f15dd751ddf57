import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../../config.ts';
import { errorMessage, RouxError } from '../../../errors.ts';
import { readSmallFile } from '../../../small-file.ts';
import type { Client, ServerCommand } from './clients.ts';

/** Puts the server into a client's configuration beside what is there. Gives the files that were written; what cannot be read as a whole is refused. */
export function configureClient(root: string, client: Client, server: ServerCommand): readonly string[] {
  if (client.file === null) return [];
  const { bom, settings } = readSettings(root, client.file, client);
  const [key = ''] = client.keys;
  const servers = settings[key] ?? {};
  if (!isRecord(servers) || (key in settings && settings[key] === null)) throw leftAlone(client.file, client, `has no map under "${key}"`);
  const own = isRecord(servers['roux']) ? servers['roux'] : {};
  const next = { ...settings, [key]: { ...servers, roux: { ...own, ...client.entry(server) } } };
  if (JSON.stringify(next) === JSON.stringify(settings)) return [];
  replaceFile(join(root, client.file), `${bom}${JSON.stringify(next, null, 2)}\n`);
  return [client.file];
}

function readSettings(root: string, name: string, client: Client): { bom: string; settings: Readonly<Record<string, unknown>> } {
  const folder = dirname(join(root, name));
  if (name.includes('/') && (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true) === false) {
    throw leftAlone(name, client, 'is not in a folder of this vault');
  }
  const file = readSmallFile(join(root, name));
  if (file.kind === 'refused') throw leftAlone(name, client, file.why);
  if (file.kind === 'nothing') return { bom: '', settings: {} };
  const bom = file.text.startsWith('\uFEFF') ? '\uFEFF' : '';
  let settings: unknown;
  try {
    settings = JSON.parse(file.text.slice(bom.length));
  } catch (error) {
    throw leftAlone(name, client, `is not plain JSON (${errorMessage(error)})`);
  }
  if (!isRecord(settings)) throw leftAlone(name, client, 'holds no JSON object');
  return { bom, settings };
}

function leftAlone(name: string, client: Client, why: string): RouxError {
  const message = `${name} ${why}, so it is left alone; add the server to it by hand (see "roux init" without --client).`;
  return new RouxError('INVALID_PARAMS', message, { client: client.title });
}

/** Whole or not at all, and in the place of the name itself, wherever that may lead by now. */
function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o666;
  writeFileSync(draft, text, { flag: 'wx', mode: mode & 0o777 });
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
