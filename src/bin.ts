#!/usr/bin/env node
import { runProgram } from './faces/cli/run.ts';
import { loadConfig } from './load-config.ts';
import { openHost, version } from './open-host.ts';

const { env, stdin, stdout, stderr } = process;
// A reader such as `head` may leave early; that is no failure.
stdout.on('error', () => process.exit(0));

process.exitCode = await runProgram({
  argv: process.argv.slice(2),
  cwd: process.cwd(),
  env,
  version,
  stdin,
  stdout,
  stderr,
  loadConfig: ({ vaultRoot, flags }) => loadConfig({ vaultRoot, env, flags }),
  openHost,
});
// Nothing may hold the process once the command is done; what was printed is flushed first.
stdout.write('', () => process.exit());
