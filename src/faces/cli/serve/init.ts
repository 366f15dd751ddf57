import { errorMessage } from '../../../errors.ts';
import { HOME_FILES, VAULT_ATTRIBUTES } from '../../../ops/care/git-files.ts';
import type { SetupFiles } from '../../../ports.ts';
import { escapeInvisible } from '../../../terminal-text.ts';
import { completeFiles } from '../care/complete-file.ts';
import { joinOutcomes, refuseReadOnly, showOutcome, statusOfSetup } from '../care/setup-outcome.ts';
import type { SetupOutcome } from '../care/setup-outcome.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { shellLine } from '../shell-word.ts';
import { addAgentsSection, removeAgentsSection } from './agents-file.ts';
import { CLIENTS, thisMachine } from './clients.ts';
import type { Client, ServerCommand } from './clients.ts';
import { configure, skipFile, linesFor, NO_CHANGES, serverFor, formatUserFile, write } from './configure.ts';
import { UsageError } from '../options.ts';

const CONFIG_FILE = '.rouxrc.json';

/** A client that roux does not know; it has to be given the path of the vault. */
const PLAIN: Client = { title: '', file: null, folderVariable: null, userFile: null, key: '', variable: null, entry: () => ({}) };

/** `roux init`: makes a folder of notes a vault. */
export const init = defineCommand({
  name: 'init',
  summary: 'set up a vault: configuration and client; touches no note',
  group: 'serve',
  takesVault: true,
  options: {
    client: {
      type: 'string',
      short: 'c',
      value: 'NAME',
      help: 'write its configuration',
      choices: Object.keys(CLIENTS),
    },
    agents: { type: 'boolean', help: 'write a marked section for agents into AGENTS.md; the rest of it stays as it is' },
    'remove-agents': { type: 'boolean', help: 'take that section out again, and do nothing else' },
    user: { type: 'boolean', help: "with --client: in your own configuration, for every folder, and not in the vault's" },
  },
  async run(context) {
    const { root: vaultRoot, config } = context.host;
    refuseReadOnly(context, 'init');
    const client = CLIENTS[context.options.client ?? ''] ?? null;
    const isOwn = context.options.user === true;
    if (isOwn && client === null) throw new UsageError('--user says where --client writes; name a client too');
    const wanted = { vaultRoot, program: context.program.file, isOwn };
    const server = serverFor({ client: client ?? PLAIN, ...wanted });
    const files = await context.program.openFiles(vaultRoot);
    if (context.options['remove-agents'] === true) return removeAgents(context, await removeAgentsSection(files));
    const outcome = joinOutcomes([
      await createFile(files, CONFIG_FILE, `${JSON.stringify({ filenames: config.filenames, toolsets: ['default'] }, null, 2)}\n`),
      await completeFiles(files, [...HOME_FILES, VAULT_ATTRIBUTES]),
      client === null ? NO_CHANGES : await configure({ client, ...wanted }, context.program.openFiles, thisMachine()),
      context.options.agents === true ? await addAgentsSection(files) : NO_CHANGES,
    ]);
    trustMade(context, outcome);
    if (context.isJson) context.printJson({ vault: vaultRoot, ...outcome, server });
    else {
      showOutcome(context, outcome);
      if (outcome.written.length + outcome.left.length === 0) context.print('Everything was in place already.');
      if (client === null) showStart(context, server);
      else showByHand(context, client, { server, isOwn });
    }
    return statusOfSetup(outcome);
  },
});

function removeAgents(context: CommandContext, outcome: SetupOutcome): Status {
  if (context.isJson) context.printJson({ vault: context.host.root, ...outcome });
  else {
    showOutcome(context, outcome);
    if (outcome.written.length + outcome.left.length === 0) context.print('AGENTS.md has no section of roux.');
  }
  return statusOfSetup(outcome);
}

/** Trusts the folder if `init` created its settings file. An existing one may have come with the folder. */
function trustMade({ program, host, note }: CommandContext, { written }: SetupOutcome): void {
  if (host.config.untrusted !== undefined) note(`roux: ${host.config.untrusted}`);
  if (!written.includes(CONFIG_FILE)) return;
  try {
    program.trusted.addMade(host.root);
  } catch (error) {
    note(`roux: ${errorMessage(error)}`);
  }
}

function showStart({ print, options }: CommandContext, server: ServerCommand): void {
  const line = shellLine([server.command, ...server.args]);
  print(`\nTell your client to start the vault's server:\n\n  ${line}\n`);
  print(`Claude Code: claude mcp add roux -- ${line}`);
  print(`Others: "roux init --client NAME" writes the file; NAME is one of ${Object.keys(CLIENTS).join(', ')}.`);
  if (options['agents'] !== true) print('Agents: "roux init --agents" adds a section for them to AGENTS.md.');
}

/** Prints what the user has to add if no file could be written. */
function showByHand({ print }: CommandContext, client: Client, { server, isOwn }: { server: ServerCommand; isOwn: boolean }): void {
  const own = client.userFile?.(thisMachine()) ?? null;
  if (isOwn ? own !== null : client.file !== null) return;
  const byHand = client.byHand?.(server, shellLine);
  if (byHand !== undefined) return print(`\n${byHand.how}:\n\n${escapeInvisible(byHand.text)}`);
  if (own === null) return;
  const where = formatUserFile(own, thisMachine());
  print(
    `\n${client.title} has one configuration, your own (${where}): --user writes it, or add this:\n\n${escapeInvisible(linesFor(client, server))}`,
  );
}

/** Creates a file; an existing one is left alone, since it says what its owner wants. */
async function createFile(files: SetupFiles, file: string, text: string): Promise<SetupOutcome> {
  const seen = files.look(file);
  if (seen.kind === 'file') return NO_CHANGES;
  if (seen.kind === 'nothing') return write(files, { file, text, seen, lines: text });
  return skipFile(file, seen.kind === 'folder' ? `${file} is a folder` : seen.reason, text);
}
