/** A program that can be a client, and the file and form of its configuration. */
export interface Client {
  readonly title: string;
  /** Where its configuration for one folder is, or null when it is kept elsewhere. */
  readonly file: string | null;
  readonly form: 'json' | 'toml' | 'command';
  /** The way to the servers in a JSON configuration. */
  readonly keys: readonly string[];
  entry(server: ServerCommand): Readonly<Record<string, unknown>>;
}

/** How a client starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const plainEntry = ({ command, args }: ServerCommand) => ({ command, args });

/** The clients that `init` knows. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  claude: { title: 'Claude Code', file: '.mcp.json', form: 'json', keys: ['mcpServers'], entry: plainEntry },
  cursor: { title: 'Cursor', file: '.cursor/mcp.json', form: 'json', keys: ['mcpServers'], entry: plainEntry },
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json',
    form: 'json',
    keys: ['servers'],
    entry: (server) => ({ type: 'stdio', ...plainEntry(server) }),
  },
  codex: { title: 'Codex', file: null, form: 'toml', keys: ['mcp_servers'], entry: plainEntry },
  gemini: { title: 'Gemini CLI', file: '.gemini/settings.json', form: 'json', keys: ['mcpServers'], entry: plainEntry },
  zed: {
    title: 'Zed',
    file: '.zed/settings.json',
    form: 'json',
    keys: ['context_servers'],
    entry: (server) => ({ source: 'custom', ...plainEntry(server), env: {} }),
  },
  opencode: {
    title: 'opencode',
    file: 'opencode.json',
    form: 'json',
    keys: ['mcp'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  },
};

/** The snippet that a person puts into the configuration of Codex. */
export function toToml({ command, args }: ServerCommand): string {
  return [
    `[mcp_servers.roux]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
  ].join('\n');
}
