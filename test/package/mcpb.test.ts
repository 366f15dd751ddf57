import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unpackExtension } from '@anthropic-ai/mcpb';
import { expect, it } from 'vitest';
import { withMcp } from '../support/program/mcp-client.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';

interface Manifest {
  readonly version: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly user_config: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  };
}

const cli = join(repositoryRoot, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
const run = (args: readonly string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

it('V-19 the .mcpb bundle is what its own tool takes, and its server runs as the manifest says, with nothing beside it', () =>
  withVault({}, (folder) =>
    withVault('demo', async (vault) => {
      const made = run(['--import', 'tsx', 'scripts/mcpb.ts', '--into', folder.root]);
      expect(made.status, made.output).toBe(0);
      const [bundle = ''] = readdirSync(folder.root);
      expect(bundle).toMatch(/^roux-\d+\.\d+\.\d+\.mcpb$/);
      const there = folder.path('unpacked');
      expect(await unpackExtension({ mcpbPath: folder.path(bundle), outputDir: there, silent: true })).toBe(true);
      const validated = run([cli, 'validate', there]);
      expect(validated.status, validated.output).toBe(0);
      expect(validated.output).toMatch(/schema validation passes[^]*Icon validation passed/);

      const manifest = JSON.parse(readFileSync(join(there, 'manifest.json'), 'utf8')) as Manifest;
      const { command, args, env } = manifest.server.mcp_config;
      expect(command).toBe('node');
      const fill = (text: string): string =>
        text.replaceAll('${__dirname}', there).replaceAll(/\$\{user_config\.(\w+)\}/g, (_, key: string) => {
          expect(manifest.user_config).toHaveProperty(key);
          return key === 'vault' ? vault.root : String(manifest.user_config[key]?.default);
        });
      const [program = '', ...rest] = args.map(fill);
      expect(program).toBe(join(there, manifest.server.entry_point));
      expect(rest).toEqual(['mcp', vault.root]);
      await withMcp(
        vault,
        async ({ client, ask }) => {
          const { tools } = await client.listTools();
          expect(tools.map(({ name }) => name).toSorted()).toEqual(manifest.tools.map(({ name }) => name).toSorted());
          expect((await ask('search', { query: 'slugs', limit: 1, include_content: false }))[0].title).toBe('Slug control');
          expect(client.getServerVersion()?.version).toBe(manifest.version);
        },
        { file: program, env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])) },
      );
    }),
  ));
