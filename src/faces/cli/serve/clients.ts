import { homedir } from 'node:os';
import { join } from 'node:path';

/** An MCP client, and where and how it is configured. */
export interface Client {
  readonly title: string;
  /** The configuration file inside a folder; null if the client has none there. */
  readonly file: string | null;
  /** The variable for that folder inside of the file; null if the client starts servers in that folder. */
  readonly folderVariable: string | null;
  /** The user's own configuration file; null if other programs should not edit it. */
  readonly userFile: ((machine: Machine) => UserFile) | null;
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
export interface UserFile {
  readonly folder: string;
  readonly file: string;
}

/** What determines where programs store the user's files. */
export interface Machine {
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function thisMachine(): Machine {
  return { platform: process.platform, home: homedir(), env: process.env };
}

const plainEntry = ({ command, args }: ServerCommand) => ({ command, args });

/** Variables such as `${NAME}` and `${env:NAME}`. */
const BRACED = /\$\{/;
const WORKSPACE = '${workspaceFolder}';

const atHome =
  (file: string) =>
  ({ home }: Machine): UserFile => ({ folder: home, file });

/** A file in the folder where desktop programs store their settings. */
const ofApplication =
  (file: string) =>
  ({ platform, home, env }: Machine): UserFile => {
    if (platform === 'darwin') return { folder: home, file: `Library/Application Support/${file}` };
    if (platform === 'win32') return { folder: env['APPDATA'] ?? join(home, 'AppData/Roaming'), file };
    return ofConfig(file)({ platform, home, env });
  };

/** A file in `$XDG_CONFIG_HOME`, on every platform. */
const ofConfig =
  (file: string) =>
  ({ home, env }: Machine): UserFile => {
    const named = env['XDG_CONFIG_HOME'] ?? '';
    return named.startsWith('/') ? { folder: named, file } : { folder: home, file: `.config/${file}` };
  };

/** The clients that `init` can configure. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    title: 'Claude Code',
    file: '.mcp.json',
    folderVariable: null,
    userFile: null,
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
    folderVariable: null,
    userFile: ofApplication('Claude/claude_desktop_config.json'),
    isDesktop: true,
    key: 'mcpServers',
    variable: null,
    entry: plainEntry,
  },
  cursor: {
    title: 'Cursor',
    file: '.cursor/mcp.json',
    folderVariable: WORKSPACE,
    userFile: atHome('.cursor/mcp.json'),
    isDesktop: true,
    key: 'mcpServers',
    variable: BRACED,
    entry: plainEntry,
  },
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json',
    folderVariable: WORKSPACE,
    userFile: ofApplication('Code/User/mcp.json'),
    isDesktop: true,
    key: 'servers',
    variable: BRACED,
    entry: (server) => ({ type: 'stdio', ...plainEntry(server) }),
  },
  windsurf: {
    title: 'Windsurf',
    file: null,
    folderVariable: null,
    userFile: atHome('.codeium/windsurf/mcp_config.json'),
    isDesktop: true,
    key: 'mcpServers',
    variable: BRACED,
    entry: plainEntry,
  },
  codex: {
    title: 'Codex',
    file: null,
    folderVariable: null,
    userFile: null,
    key: 'mcp_servers',
    variable: null,
    entry: plainEntry,
    byHand: (server) => ({ how: 'Add this to the configuration of Codex (~/.codex/config.toml)', text: toToml(server) }),
  },
  gemini: {
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    folderVariable: null,
    userFile: atHome('.gemini/settings.json'),
    key: 'mcpServers',
    variable: /\$[{\w]/,
    entry: plainEntry,
  },
  zed: {
    title: 'Zed',
    file: '.zed/settings.json',
    folderVariable: null,
    userFile: (machine) =>
      machine.platform === 'win32' ? ofApplication('Zed/settings.json')(machine) : ofConfig('zed/settings.json')(machine),
    isDesktop: true,
    key: 'context_servers',
    variable: null,
    entry: (server) => ({ source: 'custom', ...plainEntry(server), env: {} }),
  },
  opencode: {
    title: 'opencode',
    file: 'opencode.json',
    folderVariable: null,
    userFile: ofConfig('opencode/opencode.json'),
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
