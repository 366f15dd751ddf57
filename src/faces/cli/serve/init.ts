import { lstatSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { didYouMean } from '../../../nearest.ts';
import { HOME_FILES, VAULT_ATTRIBUTES } from '../../../ops/care/git-files.ts';
import { completeFiles } from '../care/complete-file.ts';
import { defineCommand, DONE } from '../command.ts';
import { shownArgument } from '../show.ts';
import { configureClient } from './client-file.ts';
import { CLIENTS, toToml } from './clients.ts';
import type { Client, ServerCommand } from './clients.ts';

/** Makes a folder of notes a vault. */
export const init = defineCommand({
  name: 'init',
  summary: 'set up a vault: configuration and client; touches no note',
  usage: '[vault]',
  group: 'serve',
  arity: 0,
  options: {
    client: { type: 'string', short: 'c', value: 'NAME', help: `write its configuration: ${Object.keys(CLIENTS).join(', ')}` },
  },
  run(context) {
    const { vaultRoot, config, paint, print } = context;
    const client = chooseClient(context.options.client);
    const written = [
      ...createFile(vaultRoot, '.rouxrc.json', `${JSON.stringify({ filenames: config.filenames, toolsets: ['default'] }, null, 2)}\n`),
      ...completeFiles(vaultRoot, [...HOME_FILES, VAULT_ATTRIBUTES]),
    ];
    const server: ServerCommand = { command: process.execPath, args: [program(), 'mcp', vaultRoot] };
    if (client !== null) written.push(...configureClient(vaultRoot, client, server));
    if (context.isJson) context.printJson({ vault: vaultRoot, written, server });
    else {
      for (const file of written) print(`${paint.green('wrote')} ${file}`);
      if (written.length === 0) print('Everything was in place already.');
      if (client?.file === null) print(`\nAdd this to the configuration of ${client.title} (~/.codex/config.toml):\n\n${toToml(server)}`);
      if (client === null) {
        print(`\nTell your client to start the vault's server:\n\n  ${[server.command, ...server.args].join(' ')}\n`);
        print(`Claude Code: claude mcp add roux -- ${[server.command, ...server.args].join(' ')}`);
        print(`Others: "roux init --client NAME" writes the file; NAME is one of ${Object.keys(CLIENTS).join(', ')}.`);
      }
    }
    return Promise.resolve(DONE);
  },
});

function chooseClient(name: string | undefined): Client | null {
  if (name === undefined) return null;
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client !== undefined) return client;
  const valid = Object.keys(CLIENTS);
  throw new RouxError(
    'INVALID_PARAMS',
    `Unknown client "${shownArgument(name)}"${didYouMean(name, valid)} Valid clients: ${valid.join(', ')}.`,
    {
      valid,
    },
  );
}

/** The path of this program as clients can start it. */
function program(): string {
  return realpathSync(process.argv[1] ?? 'roux');
}

function createFile(root: string, file: string, text: string): readonly string[] {
  const path = join(root, file);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return [];
  writeFileSync(path, text, { flag: 'wx' });
  return [file];
}
