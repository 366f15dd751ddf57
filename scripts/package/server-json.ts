import { listSettings, variableOf } from '../../src/config.ts';
import type { Published } from './publisher.ts';

/** A file that a release has, for the registry: its address and the sha-256 of its bytes. */
export interface ReleasedBundle {
  readonly url: string;
  readonly sha256: string;
}

const VAULT = {
  type: 'positional',
  valueHint: 'vault',
  description: 'The folder of your notes, with its whole path',
  format: 'filepath',
  isRequired: true,
  placeholder: '/path/to/vault',
} as const;

/** `server.json`, which tells the registry of MCP servers how clients start roux: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json */
export function serverJson({ name, version, mcpName, repository }: Published, bundle: ReleasedBundle | null = null): object {
  const npm = { registryType: 'npm', registryBaseUrl: 'https://registry.npmjs.org', identifier: name, version, runtimeHint: 'npx' };
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'roux',
    description: 'Markdown vaults as a knowledge store: search, linked notes, task graphs, memory, dated facts.',
    version,
    ...(repository === null ? {} : { repository: { url: `https://github.com/${repository}`, source: 'github' } }),
    packages: [
      {
        ...npm,
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }, VAULT],
        environmentVariables: variables(['toolsets', 'readOnly', 'agent', 'embeddings']),
      },
      {
        ...npm,
        transport: {
          type: 'streamable-http',
          url: 'http://127.0.0.1:7411/mcp',
          headers: [
            {
              name: 'Authorization',
              description: 'The token of the server',
              value: 'Bearer {token}',
              isRequired: true,
              isSecret: true,
              variables: { token: { description: `What ${variableOf('http.token')} holds`, isRequired: true, isSecret: true } },
            },
          ],
        },
        packageArguments: [{ type: 'positional', value: 'serve' }, VAULT, { type: 'named', name: '--port', value: '7411' }],
        environmentVariables: variables(['http.token', 'toolsets', 'readOnly', 'agent', 'embeddings']),
      },
      ...(bundle === null
        ? []
        : [{ registryType: 'mcpb', identifier: bundle.url, version, fileSha256: bundle.sha256, transport: { type: 'stdio' } }]),
    ],
  };
}

/** What is said of a setting to a person who is asked for it. */
const SETTINGS: Readonly<Record<string, object>> = {
  toolsets: {
    description: 'Groups of tools, with commas: vault, tasks, memory, knowledge, ontology, admin, default, all',
    default: 'default',
  },
  readOnly: { description: 'No tool writes', format: 'boolean', default: 'false' },
  agent: { description: 'Who writes, in the history; without it the name of the client' },
  embeddings: { description: 'What makes search by meaning possible', choices: ['auto', 'local', 'remote', 'none'], default: 'auto' },
  'http.token': { description: 'The token that clients send, 16 characters or more', isRequired: true, isSecret: true },
};

function variables(keys: readonly string[]): readonly object[] {
  const known = new Set(listSettings().map(({ key }) => key));
  return keys.map((key) => {
    if (!known.has(key)) throw new Error(`There is no setting ${key}.`);
    return { name: variableOf(key), ...SETTINGS[key] };
  });
}
