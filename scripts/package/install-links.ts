import { CLIENTS } from '../../src/faces/cli/serve/clients.ts';
import type { Client, ServerCommand } from '../../src/faces/cli/serve/clients.ts';
import type { Published } from './publisher.ts';

/** Where a person puts the folder of their notes. */
const FOLDER = '/path/to/vault';

/** How one client is told of roux: a link to click, or a command to run. */
export interface InstallWay {
  readonly client: string;
  /** Null where it is told by a command. */
  readonly link: string | null;
  readonly command: string | null;
  /** What remains to be done, as a sentence; null when nothing does. */
  readonly rest: string | null;
}

/**
 * How the clients that have a link or a command for it are told of roux, from the package at npm, in the words of each. All of them keep
 * it in the user's own configuration, for every folder: so they name the one that holds the notes.
 */
export function installWays({ name }: Pick<Published, 'name'>): readonly InstallWay[] {
  const npx = (vault: string): ServerCommand => ({ command: 'npx', args: ['-y', name, 'mcp', vault] });
  const entry = (client: string, vault: string): string => JSON.stringify(clientOf(client).entry(npx(vault)));
  const inBase64 = (text: string): string => encodeURIComponent(Buffer.from(text).toString('base64'));
  const ask = [{ type: 'promptString', id: 'vault', description: 'The folder of your notes' }];
  const put = `Then put the folder of your notes in place of \`${FOLDER}\`.`;
  const link = (client: string, address: string, rest: string): InstallWay => ({ client, link: address, command: null, rest });
  const command = (client: string, text: string): InstallWay => ({ client, link: null, command: text, rest: null });
  const vscode = `inputs=${encodeURIComponent(JSON.stringify(ask))}&config=${encodeURIComponent(entry('vscode', '${input:vault}'))}`;
  const words = npx(FOLDER).args.join(' ');
  return [
    link('Cursor', `https://cursor.com/en/install-mcp?name=roux&config=${inBase64(entry('cursor', FOLDER))}`, put),
    link('VS Code', `https://vscode.dev/redirect/mcp/install?name=roux&${vscode}`, 'It asks for the folder of your notes.'),
    // It reads the lines of Claude Desktop.
    link('LM Studio', `https://lmstudio.ai/install-mcp?name=roux&config=${inBase64(entry('claude-desktop', FOLDER))}`, put),
    command('Claude Code', clientOf('claude').byHand?.(npx(FOLDER), (line) => line.join(' ')).text ?? ''),
    command('Codex', `codex mcp add roux -- npx ${words}`),
    // What comes behind "--" is the server's: Gemini CLI knows a -y too.
    command('Gemini CLI', `gemini mcp add --scope user roux npx -- ${words}`),
  ];
}

/** A client that `roux init` knows. */
function clientOf(name: string): Client {
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client === undefined) throw new Error(`roux init knows no client ${name}.`);
  return client;
}

/** The lines of the README on how clients are told, between its marks. */
export function installLines(published: Pick<Published, 'name'>): string {
  return installWays(published)
    .map(({ client, link, command, rest }) => {
      const how = link === null ? `\`${command ?? ''}\`` : `[Add to ${client}](${link}).`;
      return `- **${client}**: ${[how, rest].filter((part) => part !== null).join(' ')}`;
    })
    .join('\n');
}
