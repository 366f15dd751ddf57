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

/** The clients that have no command of their own, whose configuration `roux init` writes. */
function configured(commands: readonly string[]): string {
  const names = Object.entries(CLIENTS)
    .filter(([, { file, userFile }]) => file !== null || userFile !== null)
    .filter(([, { title, byHand }]) => byHand === undefined && !commands.includes(title));
  return names.map(([name, { title, file }]) => `${title} (\`${name}\`${file === null ? ' with `--user`' : ''})`).join(', ');
}

/** How each client is told of roux: from the package at npm, or from a clone while nothing is published under its name. */
function clientRows(published: Published): readonly string[] {
  const ways = installWays(published);
  const fromClone = (text: string): string =>
    text.replace(`npx -y ${published.name} mcp`, 'roux mcp').replace(`npx -- -y ${published.name} mcp`, 'roux mcp');
  const isReleased = published.repository !== null;
  const rows = ways.flatMap(({ client, link, command, rest }) => {
    if (command !== null) return [`| ${client} | \`${isReleased ? command : fromClone(command)}\` |`];
    return isReleased ? [`| ${client} | [Add to ${client}](${link ?? ''}). ${rest ?? ''} |`] : [];
  });
  const init = isReleased ? `npx -y ${published.name} init` : 'roux init';
  return [
    ...rows,
    `| ${configured(ways.filter(({ command }) => command !== null).map(({ client }) => client))} | \`${init} ${FOLDER} --client cursor\`, or another name in brackets |`,
    `| any other | \`${JSON.stringify({ mcpServers: { roux: isReleased ? { command: 'npx', args: ['-y', published.name, 'mcp', FOLDER] } : { command: 'roux', args: ['mcp', FOLDER] } } })}\` |`,
    '| over HTTP | what `roux serve` prints: a line for each client, with the token |',
  ];
}

/** The lines of the README on how clients are told, between its marks. */
export function installLines(published: Published): string {
  const isReleased = published.repository !== null;
  const first = isReleased
    ? `Nothing has to be installed first: clients start roux with \`npx\`. \`npm install --global ${published.name}\` puts \`roux\` on your path.`
    : 'In a clone that `npm start` has set up, this puts `roux` on your path:';
  const after = isReleased ? [] : ['', '```sh', 'npm link', '```'];
  return [first, ...after, '', '| client | what connects it |', '|---|---|', ...clientRows(published)].join('\n');
}

/** The lines of docs/install.md on how to get roux, between its marks. */
export function packageLines(published: Published): string {
  if (published.repository === null)
    return [
      'In a clone, this installs what roux needs, builds it, and shows it:',
      '',
      '```sh',
      'npm run demo',
      '```',
      '',
      'And this puts `roux` on your path, for you and for clients; `npm unlink --global roux` takes it away:',
      '',
      '```sh',
      'npm link',
      'roux init /path/to/vault --client cursor',
      '```',
    ].join('\n');
  const { name } = published;
  return [
    '```sh',
    `npx -y ${name} demo                # shows it, and leaves nothing behind`,
    `npm install --global ${name}        # or npx -y ${name} …, as clients do it`,
    'roux init /path/to/vault --client cursor',
    '```',
    '',
    'That is one package of about 25 MB with everything built in, and an optional package (46 MB) with the model for search by meaning. `--omit=optional` leaves that one out: roux then searches by words only, and says so when a search by meaning is asked for.',
  ].join('\n');
}
