import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { chooseSource } from '../../../importing/open-export.ts';
import { openSource } from '../../../importing/source/open-source.ts';
import { requirePlainFile } from '../care/plain-file.ts';
import { refuseReadOnly } from '../care/setup-outcome.ts';
import type { CommandContext, Status } from '../command.ts';
import { formatArgument } from '../show.ts';
import type { AskedImport } from './show-and-import.ts';
import { importNotesOf, intoOf } from './import-notes.ts';

/** `roux import PATH --from PROGRAM`: brings what another program exported into the vault. */
export async function runImport(context: CommandContext, path: string, asked: AskedImport): Promise<Status> {
  if (!asked.isDryRun) refuseReadOnly(context, 'import');
  const named = resolve(context.program.cwd, path);
  const place = asked.from === 'beads' ? issuesFolder(named) : named;
  requirePlainFile(place, context.host.root, { mayBeFolder: true });
  refuseVault(place, context.host.root, path);
  const files = await openSource(place, formatArgument(path));
  try {
    const source = await chooseSource(files, asked.from);
    if (source === 'beads') return await (await import('./import-tasks.ts')).importTasksOf(context, files, asked);
    refuseInside(place, join(context.host.root, intoOf(context, source, asked)), path);
    return await importNotesOf(context, { source, files }, asked);
  } finally {
    await files.close();
  }
}

/** Throws when the vault is a part of what is to be imported: each import would import the ones before. */
function refuseVault(place: string, root: string, path: string): void {
  if (!isWithin(realOrSame(place), realpathSync.native(root))) return;
  throw new RouxError('INVALID_PARAMS', `${formatArgument(path)} holds the vault itself; name the export alone.`, { path });
}

/** Throws when the notes would go into what is imported: the next import would take them for a part of it. */
function refuseInside(place: string, into: string, path: string): void {
  if (!isWithin(realOrSame(place), realOrSame(into))) return;
  throw new RouxError('INVALID_PARAMS', `${formatArgument(path)} is where its notes would go; name another folder with --into.`, { path });
}

function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
}

/** A repository holds its issues in a folder of their own; nothing else of it is looked at. */
function issuesFolder(place: string): string {
  const folder = join(place, '.beads');
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : place;
}

function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
