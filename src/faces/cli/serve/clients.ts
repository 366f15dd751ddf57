/** A program that can be a client, and the file and form of its configuration. */
export interface Client {
  readonly title: string;
  /** Where its configuration for one folder is, or null when it is kept elsewhere. */
  readonly file: string | null;
  /** The key of the servers in it. */
  readonly key: string;
  /** What the client takes for a variable in a text; it has no way to say that it is none. */
  readonly variable: RegExp | null;
  entry(server: ServerCommand): Readonly<Record<string, unknown>>;
}

/** How a client starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const plainEntry = ({ command, args }: ServerCommand) => ({ command, args });

/** `${NAME}`, `${env:NAME}`. */
const BRACED = /\$\{/;

/** The clients that `init` knows. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  claude: { title: 'Claude Code', file: '.mcp.json', key: 'mcpServers', variable: BRACED, entry: plainEntry },
  cursor: { title: 'Cursor', file: '.cursor/mcp.json', key: 'mcpServers', variable: BRACED, entry: plainEntry },
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json',
    key: 'servers',
    variable: BRACED,
    entry: (server) => ({ type: 'stdio', ...plainEntry(server) }),
  },
  codex: { title: 'Codex', file: null, key: 'mcp_servers', variable: null, entry: plainEntry },
  gemini: { title: 'Gemini CLI', file: '.gemini/settings.json', key: 'mcpServers', variable: /\$[{\w]/, entry: plainEntry },
  zed: {
    title: 'Zed',
    file: '.zed/settings.json',
    key: 'context_servers',
    variable: null,
    entry: (server) => ({ source: 'custom', ...plainEntry(server), env: {} }),
  },
  opencode: {
    title: 'opencode',
    file: 'opencode.json',
    key: 'mcp',
    variable: /\{(?:env|file):/,
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
