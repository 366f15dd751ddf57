#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { collectAtRest } from './collect-at-rest.ts';
import { runProgram } from './faces/cli/run.ts';
import type { Host } from './faces/host.ts';
import type { Streams } from './faces/stdio/serve-stdio.ts';
import { followConfig, loadConfig } from './system/load-config.ts';
import { openHost, version } from './open-host.ts';
import type { OpenProgramHost } from './sharing/copy.ts';
import { systemPorts } from './system/system-ports.ts';
import { trustedFolders } from './system/trusted-folders.ts';

/** V8's own, in bytes of bytecode. */
const V8_BUDGET = 67_584;

/** The client of `mcp` whose messages went to a server before (relay.ts): given to the script that is built of this. */
declare const programClient: Streams | undefined;

const { env, stdin, stdout, stderr } = process;
// A reader such as `head` may leave early; that is no failure.
stdout.on('error', () => process.exit(0));

async function main(): Promise<void> {
  collectAtRest();
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
      // Likewise: nothing of it is there for who shares no vault.
      const { openSharing } = await import('./sharing/open-sharing.ts');
      return openSharing({ openHost: openProgramHost, env, mayBeOthers });
    },
    ...(programClient === undefined ? {} : { client: programClient }),
    async openFiles(folder) {
      // Loaded here, because few commands need it.
      const { openSetupFiles } = await import('./store/folder/setup-files.ts');
      return openSetupFiles(folder, systemPorts());
    },
  });
  // Nothing may hold the process once the command is done; what was printed is flushed first.
  stdout.write('', () => process.exit());
}

/** Opens a vault whose settings are followed. */
function openProgramHost({ flags, ...opened }: Parameters<OpenProgramHost>[0]): Host {
  return openHost({
    ...opened,
    onWarmStart: optimiseLater,
    ...(opened.isFollowing === true && flags !== undefined
      ? { settings: followConfig({ vaultRoot: opened.root, env, flags }, opened.config) }
      : {}),
  });
}

/** Who lists processes reads what each was started with: a password in the URL of a store is not for them. */
function hidePassword(): void {
  const isTold = process.argv.some((word) => /postgres(?:ql)?:\/\//i.test(word) && /@|\bpassword=/i.test(word));
  if (isTold) process.title = `roux ${process.argv[2] ?? ''}`;
}

/**
 * V8 compiles what runs often to faster code, on threads of its own, which is a third of what a start costs. Taking over what was kept
 * goes through its loops once: when that code is ready nobody needs it. Meanwhile V8 is made to wait for longer.
 */
function optimiseLater(isLater: boolean): void {
  setFlagsFromString(`--interrupt-budget=${isLater ? 10_000_000 : V8_BUDGET}`);
}

// Not awaited here: what is built of this is a script, and scripts do not wait.
void main();
