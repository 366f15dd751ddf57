#!/usr/bin/env node
// First, as it holds for all schemas that are made after it.
import './system/plain-schemas.ts';
import { setFlagsFromString } from 'node:v8';
import { collectWhenIdle } from './at-rest/collect-when-idle.ts';
import { DONE, FAILED } from './faces/cli/command.ts';
import { runProgram } from './faces/cli/run.ts';
import type { Host } from './faces/host.ts';
import type { StdioClient } from './faces/stdio/serve-stdio.ts';
import { createConfigSource, loadConfig } from './system/settings-files/load-config.ts';
import { openHost, version } from './open-host.ts';
import type { OpenProgramHost } from './sharing/copy.ts';
import { whenThreadsRun } from './start-worker.ts';
import type { HeavyWork } from './vault/vault-options.ts';
import { systemPorts } from './system/system-ports.ts';
import { trustedFolders } from './system/trusted-folders.ts';

/** V8's default, in bytes of bytecode. */
const V8_INTERRUPT_BUDGET_BYTES = 67_584;
/** V8's default limit for what its optimizing compiler inlines into one function, in bytes of bytecode. */
const V8_INLINED_BYTES = 920;
/** V8 sees at the earliest after 8 s that a process is at rest. */
const REST_MS = 5_000;

/** How V8 is tuned while there is heavy work. */
const TUNING: Readonly<Record<HeavyWork, (isUnderWay: boolean) => void>> = {
  'warm start': delayOptimization,
  'first reading': inlineLittle,
  'large write': optimizeSparingly,
};

/** The client for which relay.ts has started this process; defined by the script that the build makes of this file. */
declare const programClient: StdioClient | undefined;

const { env, stdin, stdout, stderr } = process;
stdout.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
  // A reader such as `head` may close the pipe early; that is not a failure.
  if (['EPIPE', 'ECONNRESET', 'EOF'].includes(code)) process.exit(DONE);
  stderr.write(`roux: not all could be printed: ${message}\n`);
  process.exit(FAILED);
});

async function main(): Promise<void> {
  setTimeout(() => collectOnceAtRest(true), REST_MS).unref();
  // What V8 made of the program is stored at the end, and taken only by a process with the same flags: the listener that stores it comes later.
  process.prependListener('exit', () => {
    delayOptimization(false);
    inlineLittle(false);
    collectOnceAtRest(false);
  });
  collectWhenIdle();
  hidePassword();
  process.exitCode = await runProgram({
    argv: process.argv.slice(2),
    cwd: process.cwd(),
    env,
    version,
    file: process.argv[1] ?? 'roux',
    stdin,
    stdout,
    stderr,
    loadConfig: (query) => loadConfig({ ...query, env }),
    trusted: trustedFolders,
    openHost: openProgramHost,
    async openSharing(mayBeOthers) {
      // Imported lazily, since most users share no vault.
      const { createSharing: openSharing } = await import('./sharing/open-sharing.ts');
      return openSharing({ openHost: openProgramHost, env, mayBeOthers });
    },
    ...(programClient === undefined ? {} : { client: programClient }),
    async openFiles(folder) {
      // Imported lazily, since few commands need it.
      const { openSetupFiles } = await import('./store/folder/setup-files.ts');
      return openSetupFiles(folder, systemPorts());
    },
  });
  // Open handles must not keep the process alive after the command; stdout is flushed first.
  stdout.write('', () => process.exit());
}

/** Opens a vault, and applies changes of its settings files while it is open. */
function openProgramHost({ flags, ...opened }: Parameters<OpenProgramHost>[0]): Host {
  return openHost({
    ...opened,
    endsWithParent: programClient !== undefined,
    onHeavyWork: (work, isUnderWay) => whenThreadsRun(() => TUNING[work](isUnderWay)),
    ...(opened.isFollowing === true && flags !== undefined
      ? { settings: createConfigSource({ vaultRoot: opened.root, env, flags }, opened.config) }
      : {}),
  });
}

/** Hides the arguments in the list of processes if they contain a store's password. */
function hidePassword(): void {
  const isTold = process.argv.some((word) => /postgres(?:ql)?:\/\//i.test(word) && /@|\bpassword=/i.test(word));
  if (isTold) process.title = `roux ${process.argv[2] ?? ''}`;
}

/**
 * Delays V8's optimizing compiler and its incremental marking during a warm start. Both run on other threads and take up to a third of its
 * cost, but its code runs only once, so that its optimized form would come too late to be used, and hardly anything that it allocates is
 * garbage.
 */
function delayOptimization(isLater: boolean): void {
  setFlagsFromString(`--interrupt-budget=${isLater ? 10_000_000 : V8_INTERRUPT_BUDGET_BYTES}`);
  setFlagsFromString(isLater ? '--no-incremental-marking' : '--incremental-marking');
}

/**
 * Makes V8's optimizing compiler take each function by itself, without those that it calls. For a rename that rewrites a thousand notes it
 * compiles some hundred functions on other threads: with what they call a third of all that the rename costs, and no faster.
 */
function optimizeSparingly(isSparing: boolean): void {
  setFlagsFromString(isSparing ? '--no-turbo-inlining' : '--turbo-inlining');
}

/** Makes V8's optimizing compiler inline less. Most of what it compiles while all notes are read is ready only when that is over. */
function inlineLittle(isLess: boolean): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${isLess ? 230 : V8_INLINED_BYTES}`);
}

/** Makes V8 collect once, and not twice, when it sees that a process is at rest: the second time frees nothing more. */
function collectOnceAtRest(isOnce: boolean): void {
  setFlagsFromString(isOnce ? '--memory-reducer-single-gc' : '--no-memory-reducer-single-gc');
}

// Not awaited, because the build turns this file into a script, where top-level await is not allowed.
void main();
