import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { SeenFile, SetupFiles } from '../../../ports.ts';
import type { SetupOutcome } from '../care/setup-outcome.ts';
import { isOnPath } from '../../../on-path.ts';
import { addServer } from './client-text.ts';
import type { Client, Machine, UserFile, ServerCommand } from './clients.ts';

/** The outcome when there was nothing to do. */
export const NO_CHANGES: SetupOutcome = { written: [], left: [] };

/** The client to configure, and where the program and the vault are. */
export interface Wanted {
  readonly client: Client;
  readonly vaultRoot: string;
  /** The path with which the program was started; it may be a link. */
  readonly program: string;
  /** Whether to edit the user's own configuration instead of one in the vault. */
  readonly isOwn: boolean;
}

/**
 * Returns how a client starts the server. If `roux` is on the PATH, it is started by name: a configuration in the vault is meant to be
 * shared, so it names no path of this machine, and the vault is the folder that the client has open. Otherwise, and for desktop programs,
 * whose PATH differs from that of a shell, absolute paths are used.
 */
export function serverFor({ client, vaultRoot, program, isOwn }: Wanted): ServerCommand {
  const isNamed = isOnPath('roux') && !(isOwn && client.isDesktop === true);
  if (!isNamed) return { command: process.execPath, args: [realpathSync(program), 'mcp', vaultRoot] };
  if (isOwn || client.file === null) return { command: 'roux', args: ['mcp', vaultRoot] };
  return { command: 'roux', args: client.folderVariable === null ? ['mcp'] : ['mcp', client.folderVariable] };
}

/** Adds the server to a client's configuration. What cannot be added is left to the user, with the lines to add. */
export async function configure(
  wanted: Wanted,
  openFiles: (folder: string) => Promise<SetupFiles>,
  machine: Machine,
): Promise<SetupOutcome> {
  const { client, vaultRoot, isOwn } = wanted;
  const own = client.userFile?.(machine) ?? null;
  if (isOwn && own !== null) {
    const outcome = await add(await openFiles(own.folder), own.file, wanted);
    return named(outcome, own.file, formatUserFile(own, machine));
  }
  return isOwn || client.file === null ? NO_CHANGES : add(await openFiles(vaultRoot), client.file, wanted);
}

/** Formats the path of a user's file, with `~` for the home folder. */
export function formatUserFile({ folder, file }: UserFile, { home }: Machine): string {
  const path = join(folder, file);
  return path.startsWith(home + sep) ? `~/${path.slice(home.length + 1).replaceAll('\\', '/')}` : path;
}

/** Returns the lines that the user has to add to a JSON configuration. */
export function linesFor(client: Client, server: ServerCommand): string {
  return `${JSON.stringify({ [client.key]: { roux: client.entry(server) } }, null, 2)}\n`;
}

function named(outcome: SetupOutcome, file: string, name: string): SetupOutcome {
  return {
    written: outcome.written.map((each) => (each === file ? name : each)),
    left: outcome.left.map((each) => (each.file === file ? { ...each, file: name } : each)),
  };
}

async function add(files: SetupFiles, file: string, wanted: Wanted): Promise<SetupOutcome> {
  const { client, vaultRoot } = wanted;
  const server = serverFor(wanted);
  const lines = linesFor(client, server);
  const expanded = [server.command, ...server.args].find((word) => word !== client.folderVariable && client.variable?.test(word) === true);
  if (expanded !== undefined) {
    const what = JSON.stringify(client.variable?.exec(expanded)?.[0]);
    const folder = expanded === vaultRoot ? 'that folder' : 'its folder';
    return skipFile(
      file,
      `${client.title} takes ${what} in "${expanded}" for a variable, so that it would start something else; give ${folder} another name`,
      null,
    );
  }
  const seen = files.look(file);
  if (seen.kind === 'barred') return skipFile(file, seen.reason, lines);
  if (seen.kind === 'folder') return skipFile(file, `${file} is a folder`, lines);
  if (seen.kind === 'nothing') return write(files, { file, text: lines, seen, lines });
  const text = decode(seen.bytes);
  if (text === null) return skipFile(file, 'it is not in UTF-8', lines);
  const edit = addServer(text, { key: client.key, entry: client.entry(server) });
  if (edit.kind === 'same') return NO_CHANGES;
  if (edit.kind === 'left') return skipFile(file, edit.reason, lines);
  return write(files, { file, text: edit.text, seen, lines });
}

/** Decodes UTF-8 including a byte-order mark; null if the bytes would not survive the round trip. */
export function decode(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}

/** Writes a file if it is still as `seen`. If that fails, `lines` are left to the user. */
export async function write(
  files: SetupFiles,
  { file, text, seen, lines }: { file: string; text: string; seen: SeenFile; lines: string },
): Promise<SetupOutcome> {
  const failure = await files.write(file, { bytes: Buffer.from(text), seen });
  return failure === null ? { written: [file], left: [] } : { written: [], left: [{ file, reason: failure, add: lines, isFailure: true }] };
}

/** Returns the outcome for a file that is left alone, with the reason. */
export function skipFile(file: string, reason: string, lines: string | null): SetupOutcome {
  return { written: [], left: [{ file, reason, add: lines, isFailure: false }] };
}
