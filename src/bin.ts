#!/usr/bin/env node
import { runProgram } from './faces/cli/run.ts';
import { followConfig, loadConfig } from './system/load-config.ts';
import { openHost, version } from './open-host.ts';
import { systemPorts } from './system/system-ports.ts';

const { env, stdin, stdout, stderr } = process;
// A reader such as `head` may leave early; that is no failure.
stdout.on('error', () => process.exit(0));

async function main(): Promise<void> {
  process.exitCode = await runProgram({
    argv: process.argv.slice(2),
    cwd: process.cwd(),
    env,
    version,
    file: process.argv[1] ?? 'roux',
    stdin,
    stdout,
    stderr,
    loadConfig: ({ vaultRoot, flags }) => loadConfig({ vaultRoot, env, flags }),
    openHost: ({ flags, ...opened }) =>
      openHost(opened.isFollowing ? { ...opened, settings: followConfig({ vaultRoot: opened.root, env, flags }, opened.config) } : opened),
    async openFiles(folder) {
      // Loaded here, because few commands need it.
      const { openSetupFiles } = await import('./store/folder/setup-files.ts');
      return openSetupFiles(folder, systemPorts());
    },
  });
  // Nothing may hold the process once the command is done; what was printed is flushed first.
  stdout.write('', () => process.exit());
}

// Not awaited here: what is built of this is a script, and scripts do not wait.
void main();
