import { writeSync } from 'node:fs';
import { errorMessage } from '../errors.ts';
import { hashOf } from '../store/folder/hash.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { findRoot } from '../store/folder/root.ts';
import { createOrigin } from '../store/origin.ts';
import { openCacheFiles } from '../store/records/cache-files.ts';
import { systemPorts } from '../system/system-ports.ts';
import { visibleLine } from '../terminal-text.ts';
import { saveHeldNote } from '../vault/sync/held-notes.ts';
import type { Work } from './at-work.ts';
import type { BlockReport, Watched } from './watchdog.ts';

/** Says on stderr and to `tell` what has held the main thread for so long, and records the note that it is reading, if it is reading one. */
export function report({ root, canRecord }: Watched, { file, call }: Work, seconds: number, tell: (held: BlockReport) => void): void {
  const what = [...(file === null ? [] : [`reading ${file}`]), ...(call === null ? [] : [`the call ${call}`])].join(', in ');
  const message = `${what === '' ? 'Work of its own' : `${what.charAt(0).toUpperCase()}${what.slice(1)}`} has held roux for ${seconds} s; nobody was served meanwhile.`;
  writeToStderr(message);
  tell({ message, seconds, call });
  if (file !== null && canRecord) void recordBlockingNote(root, file, seconds);
}

/** Writes to stderr directly, since `process.stderr` would go through the main thread. */
function writeToStderr(message: string): void {
  try {
    writeSync(2, `roux: ${visibleLine(message)}\n`);
  } catch {
    // Nobody reads stderr.
  }
}

async function recordBlockingNote(root: string, path: string, seconds: number): Promise<void> {
  try {
    const files = openNodeFileSystem(findRoot(root));
    const ports = systemPorts('error');
    const bytes = files.read(path)?.bytes;
    if (bytes === undefined) return;
    const cache = openCacheFiles(files, createOrigin(files, ports), { newId: () => ports.newId(), onFailure: () => undefined });
    await saveHeldNote(cache, { path, hash: hashOf(bytes), seconds });
  } catch (error) {
    writeToStderr(`That ${path} holds it cannot be remembered: ${errorMessage(error)}`);
  }
}
