import type { Published } from './publisher.ts';

const AUTHOR = { name: 'roux contributors' };
const ABOUT = 'A Markdown vault as a knowledge store: the MCP server of roux, and a skill that teaches to use it well.';

/** The files of the plugin of Claude Code that follow from the package, by their paths in the repository: https://code.claude.com/docs/en/plugins/manifest-reference */
export function pluginFiles({ name, version, license, repository }: Published): Readonly<Record<string, object>> {
  const url = repository === null ? {} : { homepage: `https://github.com/${repository}`, repository: `https://github.com/${repository}` };
  // From npm the version that the skill was written for; before a release the program that `npm link` puts on the path.
  const server = repository === null ? { command: 'roux', args: [] } : { command: 'npx', args: ['-y', `${name}@${version}`] };
  const keywords = ['markdown', 'obsidian', 'notes', 'knowledge', 'memory', 'tasks'];
  return {
    'plugin/.claude-plugin/plugin.json': {
      name: 'roux',
      version,
      description: ABOUT,
      author: AUTHOR,
      ...url,
      license,
      keywords,
      // Asked for when the plugin is enabled: the folder of a project is no vault unless somebody says so.
      userConfig: { vault: { type: 'directory', title: 'Vault', description: 'The folder of your notes', required: true } },
    },
    'plugin/.mcp.json': { mcpServers: { roux: { ...server, args: [...server.args, 'mcp', '${user_config.vault}'] } } },
    '.claude-plugin/marketplace.json': {
      name: 'roux',
      owner: AUTHOR,
      metadata: { description: ABOUT },
      plugins: [{ name: 'roux', source: './plugin', description: ABOUT, license, keywords }],
    },
  };
}
