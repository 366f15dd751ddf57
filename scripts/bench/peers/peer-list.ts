import { join } from 'node:path';

import { program, type Ask } from '../measure/server.ts';
import type { Hub } from './hub.ts';
import { VERSIONS } from './install.ts';

/** The command of a Node program or another, with its arguments. */
type Command = readonly [command: string, ...args: string[]];

/** What a program is asked, in the way it is made for. What is missing it has no way to do. */
export interface Peer {
  readonly name: string;
  /** Arguments of Node that start its MCP server on a vault. */
  readonly server?: (vault: string) => readonly string[];
  /** Whole text of a note, given by its path in the vault. */
  readonly read?: (vault: string, note: string) => Ask;
  /** Notes whose text has a word: a tool, or a command. */
  readonly search?: (word: string) => Ask;
  readonly searchCommand?: (vault: string, word: string) => Command;
  readonly byTag?: (tag: string) => Ask;
  readonly byProperty?: (property: string, value: number) => Ask;
  readonly rename?: (vault: string, hub: Hub) => Ask;
  /** What is to be known of a cell. */
  readonly notes?: Readonly<Partial<Record<'search' | 'byTag' | 'byProperty', string>>>;
}

/** roux and its peers, as installed below `packages`. */
export function peersIn(packages: string): readonly Peer[] {
  const at = (name: keyof typeof VERSIONS, file: string): string => join(packages, name, file);
  const foam = at('foam-cli', 'out/index.js');
  return [
    {
      name: 'roux',
      server: (vault) => [program, 'mcp', vault],
      read: (_, note) => ['get_node', { id: note }],
      search: (query) => ['search', { query }],
      byTag: (tag) => ['search_by_tags', { tags: [tag] }],
      byProperty: (property, value) => ['list_nodes', { where: `${property} == ${value}`, limit: 20 }],
      rename: (_, { from, title }) => ['update_node', { id: from, title }],
    },
    {
      name: `mcpvault ${VERSIONS['@bitbonsai/mcpvault']}`,
      server: (vault) => [at('@bitbonsai/mcpvault', 'dist/server.js'), vault],
      read: (_, path) => ['read_note', { path }],
      search: (query) => ['search_notes', { query, limit: 10 }],
      byTag: (query) => ['search_notes', { query, limit: 20, searchContent: false, searchFrontmatter: true }],
      rename: (_, { from, to }) => ['move_note', { oldPath: from, newPath: to }],
      notes: { byTag: 'as text of the frontmatter' },
    },
    {
      name: `foam-cli ${VERSIONS['foam-cli']}`,
      server: (vault) => [foam, 'mcp', '--workspace', vault, '--allow-writes'],
      read: (_, uri) => ['read_resource', { uri }],
      searchCommand: (vault, word) => [process.execPath, foam, 'grep', word, '--workspace', vault, '--limit', '10'],
      byTag: (tag) => ['search_by_tag', { tag, limit: 20 }],
      byProperty: (property, value) => ['search_by_property', { property, value: `${value}`, limit: 20 }],
      rename: (_, { from, to }) => ['move_resource', { uri: from, new_path: to }],
      notes: { search: '`foam grep`; its server finds titles only' },
    },
    {
      name: `mcp-obsidian ${VERSIONS['mcp-obsidian']}`,
      server: (vault) => [at('mcp-obsidian', 'dist/index.js'), vault],
      read: (_, path) => ['read_notes', { paths: [path] }],
      notes: { search: 'names of files only' },
    },
    {
      name: `server-filesystem ${VERSIONS['@modelcontextprotocol/server-filesystem']}`,
      server: (vault) => [at('@modelcontextprotocol/server-filesystem', 'dist/index.js'), vault],
      read: (vault, note) => ['read_text_file', { path: join(vault, note) }],
      rename: (vault, { from, to }) => ['move_file', { source: join(vault, from), destination: join(vault, to) }],
      notes: { search: 'names of files only' },
    },
    {
      name: 'ripgrep 15.0.0',
      searchCommand: (vault, word) => [at('@vscode/ripgrep-linux-x64', 'bin/rg'), '-l', '-F', word, vault],
    },
  ];
}

/** The public memory server on a file of entities. */
export function memoryServer(packages: string): readonly string[] {
  return [join(packages, '@modelcontextprotocol/server-memory', 'dist/index.js')];
}
