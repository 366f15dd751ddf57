import type { Published } from './publisher.ts';

const AUTHOR = { name: 'roux contributors' };
const ABOUT = 'A Markdown vault as a knowledge store: the MCP server of roux, what matters when a session begins, and a skill.';

/** Commands of Claude Code and Gemini CLI, by their names. */
const COMMANDS = ['prime', 'next', 'handoff', 'remember'];
/** Seconds after which a client ends a hook. roux itself answers or is silent sooner. Codex ends one at the end of a session after 3. */
const START_TIMEOUT_S = 10;
const END_TIMEOUT_S = 3;

/** The JSON files of the plugins of Claude Code, Codex, Cursor and Gemini CLI that follow from the package, by their paths in the repository: https://code.claude.com/docs/en/plugins-reference, https://developers.openai.com/codex/plugins/build, https://github.com/cursor/plugins/tree/main/schemas, https://geminicli.com/docs/extensions/reference */
export function pluginFiles({ name, version, license, repository }: Published): Readonly<Record<string, object>> {
  const url = repository === null ? {} : { homepage: `https://github.com/${repository}`, repository: `https://github.com/${repository}` };
  // From npm the version that the skill was written for; before a release the program that `npm link` puts on the path.
  const server = repository === null ? { command: 'roux', args: [] } : { command: 'npx', args: ['-y', `${name}@${version}`] };
  const keywords = ['markdown', 'obsidian', 'notes', 'knowledge', 'memory', 'tasks'];
  const plugin = { name: 'roux', version, description: ABOUT, author: AUTHOR, ...url, license, keywords };
  return {
    'plugin/.claude-plugin/plugin.json': {
      ...plugin,
      // Asked for when the plugin is enabled: the folder of a project is no vault unless somebody says so.
      userConfig: { vault: { type: 'directory', title: 'Vault', description: 'The folder of your notes', required: true } },
    },
    'plugin/.mcp.json': { mcpServers: { roux: { ...server, args: [...server.args, 'mcp', '${user_config.vault}'] } } },
    'plugin/hooks/hooks.json': hooks('CLAUDE_PLUGIN_ROOT', 'startup|resume|clear|compact|fork'),
    'plugin/codex/.codex-plugin/plugin.json': { ...plugin, skills: './skills/', hooks: './hooks/hooks.json' },
    'plugin/codex/hooks/hooks.json': hooks('PLUGIN_ROOT', 'startup|resume|clear|compact'),
    '.agents/plugins/marketplace.json': {
      name: 'roux',
      interface: { displayName: 'roux' },
      plugins: [
        {
          name: 'roux',
          source: { source: 'local', path: './plugin/codex' },
          policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
          category: 'Productivity',
        },
      ],
    },
    'plugin/cursor/.cursor-plugin/plugin.json': { ...plugin, skills: './skills/', hooks: './hooks/hooks.json' },
    'plugin/cursor/hooks/hooks.json': {
      version: 1,
      hooks: {
        sessionStart: [{ command: command('CURSOR_PLUGIN_ROOT'), timeout: START_TIMEOUT_S }],
        sessionEnd: [{ command: command('CURSOR_PLUGIN_ROOT'), timeout: END_TIMEOUT_S }],
      },
    },
    'plugin/gemini/gemini-extension.json': {
      name: 'roux',
      version,
      description: ABOUT,
      // Of the variables of a shell an extension gets those alone that it names.
      settings: [
        { name: 'Vault', description: 'The whole path to the folder of your notes, without ~', envVar: 'ROUX_VAULT', sensitive: false },
      ],
      mcpServers: { roux: { ...server, args: [...server.args, 'mcp'] } },
    },
    'plugin/gemini/hooks/hooks.json': {
      hooks: {
        SessionStart: [{ hooks: [ofGemini(START_TIMEOUT_S)] }],
        SessionEnd: [{ hooks: [ofGemini(END_TIMEOUT_S)] }],
      },
    },
    '.claude-plugin/marketplace.json': {
      name: 'roux',
      owner: AUTHOR,
      metadata: { description: ABOUT },
      plugins: [{ name: 'roux', source: './plugin', description: ABOUT, license, keywords }],
    },
  };
}

function command(root: string): string {
  return `sh "\${${root}}/hooks/session.sh"`;
}

/** The hooks of Claude Code and Codex. After a compaction a session begins anew, and gets again what it has to know. */
function hooks(root: string, sources: string): object {
  const run = (timeout: number) => ({ type: 'command', command: command(root), timeout });
  return {
    hooks: {
      SessionStart: [{ matcher: sources, hooks: [run(START_TIMEOUT_S)] }],
      SessionEnd: [{ hooks: [run(END_TIMEOUT_S)] }],
    },
  };
}

function ofGemini(seconds: number): object {
  return { name: 'roux', type: 'command', command: command('extensionPath'), timeout: seconds * 1_000 };
}

/** The other files of these plugins that follow from those of Claude Code, by their paths: every client installs a folder, so each has a copy. */
export function pluginCopies(read: (file: string) => string): Readonly<Record<string, string>> {
  const shared = ['hooks/session.sh', 'skills/roux/SKILL.md'];
  return Object.fromEntries([
    ...['codex', 'cursor', 'gemini'].flatMap((client) => shared.map((file) => [`plugin/${client}/${file}`, read(`plugin/${file}`)])),
    ...COMMANDS.map((name) => [`plugin/gemini/commands/roux/${name}.toml`, toToml(read(`plugin/commands/${name}.md`))]),
  ]);
}

/** Converts a command of Claude Code, Markdown with a description in front, to one of Gemini CLI. */
function toToml(text: string): string {
  const [, description = '', body = ''] = /^---\ndescription: (.*)\n[^]*?---\n\n([^]*)$/.exec(text) ?? [];
  if (/\\|"""/.test(body)) throw new Error('A command has what TOML would read otherwise.');
  return `description = ${JSON.stringify(description)}\nprompt = """\n${body.replaceAll('$ARGUMENTS', '{{args}}')}"""\n`;
}
