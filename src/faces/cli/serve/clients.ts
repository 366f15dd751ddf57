import { homedir } from 'node:os';
import { join } from 'node:path';

/** An MCP client, and where and how it is configured. */
export interface Client {
  readonly title: string;
  /** The configuration file inside a folder; null if the client has none there. */
  readonly file: string | null;
  /** The variable for that folder inside of the file; null if the client starts servers in that folder. */
  readonly here: string | null;
  /** The user's own configuration file; null if other programs should not edit it. */
  readonly own: ((machine: Machine) => OwnFile) | null;
  /** Whether it is started from the desktop, where `PATH` often lacks the user's programs. */
  readonly isDesktop?: boolean;
  /** The key of the servers in the configuration. */
  readonly key: string;
  /** What the client would expand as a variable, with no way to escape it; null if it expands nothing. */
  readonly variable: RegExp | null;
  entry(server: ServerCommand): Readonly<Record<string, unknown>>;
  /** What the user has to add where roux writes no file, and how. */
  readonly byHand?: (server: ServerCommand, line: (words: readonly string[]) => string) => { readonly how: string; readonly text: string };
}

/** The command with which a client starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A file below one of the user's folders. */
export interface OwnFile {
  readonly folder: string;
  readonly file: string;
}

/** What determines where programs store the user's files. */
export interface Machine {
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns this machine. */
export function thisMachine(): Machine {
  return { platform: process.platform, home: homedir(), env: process.env };
}

const plainEntry = ({ command, args }: ServerCommand) => ({ command, args });

/** Variables such as `${NAME}` and `${env:NAME}`. */
const BRACED = /\$\{/;
const WORKSPACE = '${workspaceFolder}';

const atHome =
  (file: string) =>
  ({ home }: Machine): OwnFile => ({ folder: home, file });

/** A file in the folder where desktop programs store their settings. */
const ofApplication =
  (file: string) =>
  ({ platform, home, env }: Machine): OwnFile => {
    if (platform === 'darwin') return { folder: home, file: `Library/Application Support/${file}` };
    if (platform === 'win32') return { folder: env['APPDATA'] ?? join(home, 'AppData/Roaming'), file };
    return ofConfig(file)({ platform, home, env });
  };

/** A file in `$XDG_CONFIG_HOME`, on every platform. */
const ofConfig =
  (file: string) =>
  ({ home, env }: Machine): OwnFile => {
    const named = env['XDG_CONFIG_HOME'] ?? '';
    return named.startsWith('/') ? { folder: named, file } : { folder: home, file: `.config/${file}` };
  };

/** The clients that `init` can configure. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    title: 'Claude Code',
    file: '.mcp.json',
    here: null,
    own: null,
    key: 'mcpServers',
    variable: BRACED,
    entry: plainEntry,
    byHand: ({ command, args }, line) => ({
      how: 'Claude Code changes its own file while it runs; tell it to',
      text: line(['claude', 'mcp', 'add', '--scope', 'user', 'roux', '--', command, ...args]),
    }),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: null,
    here: null,
    own: ofApplication('Claude/claude_desktop_config.json'),
    isDesktop: true,
    key: 'mcpServers',
    variable: null,
    entry: plainEntry,
  },
  cursor: {
    title: 'Cursor',
    file: '.cursor/mcp.json',
    here: WORKSPACE,
    own: atHome('.cursor/mcp.json'),
    isDesktop: true,
    key: 'mcpServers',
    variable: BRACED,
    entry: plainEntry,
  },
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json',
    here: WORKSPACE,
    own: ofApplication('Code/User/mcp.json'),
    isDesktop: true,
    key: 'servers',
    variable: BRACED,
    entry: (server) => ({ type: 'stdio', ...plainEntry(server) }),
  },
  windsurf: {
    title: 'Windsurf',
    file: null,
    here: null,
    own: atHome('.codeium/windsurf/mcp_config.json'),
    isDesktop: true,
    key: 'mcpServers',
    variable: BRACED,
    entry: plainEntry,
  },
  codex: {
    title: 'Codex',
    file: null,
    here: null,
    own: null,
    key: 'mcp_servers',
    variable: null,
    entry: plainEntry,
    byHand: (server) => ({ how: 'Add this to the configuration of Codex (~/.codex/config.toml)', text: toToml(server) }),
  },
  gemini: {
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    here: null,
    own: atHome('.gemini/settings.json'),
    key: 'mcpServers',
    variable: /\$[{\w]/,
    entry: plainEntry,
  },
  zed: {
    title: 'Zed',
    file: '.zed/settings.json',
    here: null,
    own: (machine) => (machine.platform === 'win32' ? ofApplication('Zed/settings.json')(machine) : ofConfig('zed/settings.json')(machine)),
    isDesktop: true,
    key: 'context_servers',
    variable: null,
    entry: (server) => ({ source: 'custom', ...plainEntry(server), env: {} }),
  },
  opencode: {
    title: 'opencode',
    file: 'opencode.json',
    here: null,
    own: ofConfig('opencode/opencode.json'),
    key: 'mcp',
    variable: /\{(?:env|file):/,
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  },
};

/** Formats the snippet for the configuration of Codex. */
function toToml({ command, args }: ServerCommand): string {
  return [
    `[mcp_servers.roux]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
  ].join('\n');
}
