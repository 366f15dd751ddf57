import { variableOf } from '../../src/config.ts';
import { allOperations } from '../../src/ops/all.ts';
import { DEFAULT_TOOLSETS } from '../../src/ops/toolsets.ts';
import type { Published } from './publisher.ts';

/** `manifest.json` of an .mcpb bundle, which desktop programs install with a click; its server lies in `server/`, as the package of npm has it. */
export function mcpbManifest({ name, version, description, license, repository }: Published): object {
  const offered = new Set<string | null>(DEFAULT_TOOLSETS);
  const tools = allOperations
    .filter(({ toolset }) => offered.has(toolset))
    .map((operation) => ({ name: operation.name, description: operation.summary }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const url = repository === null ? null : `https://github.com/${repository}`;
  return {
    manifest_version: '0.3',
    name,
    display_name: 'roux',
    version,
    description,
    long_description:
      'Works on a folder of Markdown notes that you may edit in Obsidian or any editor at the same time. Finds notes by words and meaning, writes parts of them without touching the rest, follows renames in every link, plans tasks as a graph, and remembers entities and facts as notes that you can read. Nothing leaves your machine.',
    author: { name: 'roux contributors', ...(url === null ? {} : { url }) },
    ...(url === null
      ? {}
      : { repository: { type: 'git', url: `${url}.git` }, homepage: url, documentation: `${url}/blob/main/docs/guide.md` }),
    license,
    icon: 'icon.png',
    keywords: ['markdown', 'obsidian', 'notes', 'knowledge', 'memory', 'tasks'],
    server: {
      type: 'node',
      entry_point: 'server/dist/bin.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server/dist/bin.js', 'mcp', '${user_config.vault}'],
        env: {
          [variableOf('readOnly')]: '${user_config.read_only}',
          [variableOf('toolsets')]: '${user_config.toolsets}',
        },
      },
    },
    user_config: {
      vault: { type: 'directory', title: 'Vault', description: 'The folder of your notes', required: true },
      read_only: { type: 'boolean', title: 'Read only', description: 'No tool writes', default: false, required: false },
      toolsets: {
        type: 'string',
        title: 'Toolsets',
        description: 'Groups of tools, with commas: vault, tasks, memory, knowledge, ontology, admin, default, all',
        default: 'default',
        required: false,
      },
    },
    tools,
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=20.19' } },
  };
}
