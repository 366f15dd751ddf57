import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../on-path.ts';
import type { ImageReader } from '../ports.ts';

/** Stands for the picture's file in the command. */
const FILE = '{file}';
const MAX_MS = 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_CHARACTERS = 50_000;

const run = promisify(execFile);

/**
 * Creates a reader of pictures that runs a command, without a shell. Its program is never one that lies in the vault, and it is given a
 * copy of the picture under a name of ours: a name in the vault may look like an option, and a file there may be replaced by a link.
 */
export function createImageReader(command: readonly string[], { vault }: { readonly vault: string }): ImageReader['read'] {
  const [name = '', ...args] = command;
  return async (bytes, extension, signal) => {
    const program = findProgram(name, { vault });
    if (program === null) throw new Error(`${name} is on the PATH nowhere outside of the vault.`);
    const folder = await mkdtemp(join(tmpdir(), 'roux-picture-'));
    try {
      const file = join(folder, `picture.${extension}`);
      await writeFile(file, bytes, { mode: 0o600 });
      const running = run(
        program,
        args.map((arg) => arg.replaceAll(FILE, file)),
        { cwd: folder, timeout: MAX_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES, signal, windowsHide: true },
      );
      lowerPriority(running.child.pid);
      const { stdout } = await running;
      return stdout.trim().slice(0, MAX_CHARACTERS);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or this is not permitted.
  }
}
