import { realpathSync } from 'node:fs';
import { RouxError } from '../../../errors.ts';
import { didYouMean } from '../../../nearest.ts';
import { HOME_FILES, VAULT_ATTRIBUTES } from '../../../ops/care/git-files.ts';
import type { SeenFile, SetupFiles } from '../../../ports.ts';
import { escapeUnseen } from '../../../terminal-text.ts';
import { completeFiles } from '../care/complete-file.ts';
import { joinOutcomes, showOutcome, statusOf } from '../care/left-alone.ts';
import type { SetupOutcome } from '../care/left-alone.ts';
import { defineCommand } from '../command.ts';
import { shellLine } from '../shell-word.ts';
import { shownArgument } from '../show.ts';
import { addServer } from './client-text.ts';
import { CLIENTS, toToml } from './clients.ts';
import type { Client, ServerCommand } from './clients.ts';

/** Makes a folder of notes a vault. */
export const init = defineCommand({
  name: 'init',
  summary: 'set up a vault: configuration and client; touches no note',
  usage: '[vault]',
  group: 'serve',
  arity: 0,
  takesVault: true,
  options: {
    client: { type: 'string', short: 'c', value: 'NAME', help: `write its configuration: ${Object.keys(CLIENTS).join(', ')}` },
  },
  async run(context) {
    const { vaultRoot, config, print } = context;
    const client = chooseClient(context.options.client);
    const server: ServerCommand = { command: process.execPath, args: [realpathSync(context.program), 'mcp', vaultRoot] };
    const files = await context.openFiles(vaultRoot);
    const outcome = joinOutcomes([
      await createFile(files, '.rouxrc.json', `${JSON.stringify({ filenames: config.filenames, toolsets: ['default'] }, null, 2)}\n`),
      await completeFiles(files, [...HOME_FILES, VAULT_ATTRIBUTES]),
      client === null ? NOTHING : await configure(files, client, server),
    ]);
    if (context.isJson) context.printJson({ vault: vaultRoot, ...outcome, server });
    else {
      showOutcome(context, outcome);
      if (outcome.written.length + outcome.left.length === 0) print('Everything was in place already.');
      if (client?.file === null)
        print(`\nAdd this to the configuration of ${client.title} (~/.codex/config.toml):\n\n${escapeUnseen(toToml(server))}`);
      if (client === null) {
        const line = shellLine([server.command, ...server.args]);
        print(`\nTell your client to start the vault's server:\n\n  ${line}\n`);
        print(`Claude Code: claude mcp add roux -- ${line}`);
        print(`Others: "roux init --client NAME" writes the file; NAME is one of ${Object.keys(CLIENTS).join(', ')}.`);
      }
    }
    return statusOf(outcome);
  },
});

const NOTHING: SetupOutcome = { written: [], left: [] };

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

/** Makes a file; one that is there says what its owner wants. */
async function createFile(files: SetupFiles, file: string, text: string): Promise<SetupOutcome> {
  const seen = files.look(file);
  if (seen.kind === 'file') return NOTHING;
  if (seen.kind === 'nothing') return write(files, { file, text, seen, add: text });
  return leave(file, seen.kind === 'folder' ? `${file} is a folder` : seen.reason, text);
}

async function configure(files: SetupFiles, client: Client, server: ServerCommand): Promise<SetupOutcome> {
  const { file, key, variable, title } = client;
  if (file === null) return NOTHING;
  const entry = client.entry(server);
  const add = `${JSON.stringify({ [key]: { roux: entry } }, null, 2)}\n`;
  const expanded = [server.command, ...server.args].find((word) => variable?.test(word) === true);
  if (expanded !== undefined) {
    const reason = `${title} takes ${JSON.stringify(variable?.exec(expanded)?.[0])} in "${expanded}" for a variable, so that it would start something else; give that folder another name`;
    return leave(file, reason, null);
  }
  const seen = files.look(file);
  if (seen.kind === 'barred') return leave(file, seen.reason, add);
  if (seen.kind === 'folder') return leave(file, `${file} is a folder`, add);
  if (seen.kind === 'nothing') return write(files, { file, text: add, seen, add });
  const text = decode(seen.bytes);
  if (text === null) return leave(file, 'it is not in UTF-8', add);
  const edit = addServer(text, { key, entry });
  if (edit.kind === 'same') return NOTHING;
  if (edit.kind === 'left') return leave(file, edit.reason, add);
  return write(files, { file, text: edit.text, seen, add });
}

/** The text of bytes that are exactly it, with its byte-order mark; null when they are none. */
function decode(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}

async function write(
  files: SetupFiles,
  { file, text, seen, add }: { file: string; text: string; seen: SeenFile; add: string },
): Promise<SetupOutcome> {
  const failure = await files.write(file, { bytes: Buffer.from(text), seen });
  return failure === null ? { written: [file], left: [] } : { written: [], left: [{ file, reason: failure, add, isFailure: true }] };
}

function leave(file: string, reason: string, add: string | null): SetupOutcome {
  return { written: [], left: [{ file, reason, add, isFailure: false }] };
}
