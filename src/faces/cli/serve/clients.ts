import { homedir } from 'node:os';
import { join } from 'node:path';

/** A program that can be a client, and the files and form of its configuration. */
export interface Client {
  readonly title: string;
  /** Where its configuration for one folder is, or null when it has none there. */
  readonly file: string | null;
  /** What stands for the folder of such a file in it; null where servers are started in that folder. */
  readonly here: string | null;
  /** Where the user's own configuration is; null where it is not for others to edit. */
  readonly own: ((machine: Machine) => OwnFile) | null;
  /** It is started from a desktop, with a path that knows little of the user's programs. */
  readonly isDesktop?: boolean;
  /** The key of the servers in it. */
  readonly key: string;
  /** What the client takes for a variable in a text; it has no way to say that it is none. */
  readonly variable: RegExp | null;
  entry(server: ServerCommand): Readonly<Record<string, unknown>>;
  /** What a person adds where no file is written, and how. */
  readonly byHand?: (server: ServerCommand, line: (words: readonly string[]) => string) => { readonly how: string; readonly text: string };
}

/** How a client starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A file below a folder of the user's. */
export interface OwnFile {
  readonly folder: string;
  readonly file: string;
}

/** What decides where programs keep the user's files. */
export interface Machine {
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** This machine. */
export function thisMachine(): Machine {
  return { platform: process.platform, home: homedir(), env: process.env };
}

const plainEntry = ({ command, args }: ServerCommand) => ({ command, args });

/** `${NAME}`, `${env:NAME}`. */
const BRACED = /\$\{/;
const WORKSPACE = '${workspaceFolder}';

const atHome =
  (file: string) =>
  ({ home }: Machine): OwnFile => ({ folder: home, file });

/** Below the folder where desktop programs keep their settings. */
const ofApplication =
  (file: string) =>
  ({ platform, home, env }: Machine): OwnFile => {
    if (platform === 'darwin') return { folder: home, file: `Library/Application Support/${file}` };
    if (platform === 'win32') return { folder: env['APPDATA'] ?? join(home, 'AppData/Roaming'), file };
    return ofConfig(file)({ platform, home, env });
  };

/** Below `$XDG_CONFIG_HOME`, also where a desktop has other customs. */
const ofConfig =
  (file: string) =>
  ({ home, env }: Machine): OwnFile => {
    const named = env['XDG_CONFIG_HOME'] ?? '';
    return named.startsWith('/') ? { folder: named, file } : { folder: home, file: `.config/${file}` };
  };

/** The clients that `init` knows. */
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

/** The snippet that a person puts into the configuration of Codex. */
function toToml({ command, args }: ServerCommand): string {
  return [
    `[mcp_servers.roux]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
  ].join('\n');
}
