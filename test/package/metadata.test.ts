import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { installLines, installWays, packageLines } from '../../scripts/package/install-links.ts';
import { pluginFiles } from '../../scripts/package/plugin-files.ts';
import { namePublisher, readPublished } from '../../scripts/package/publisher.ts';
import { serverJson } from '../../scripts/package/server-json.ts';
import { listSettings, variableOf } from '../../src/config.ts';
import { commandNames } from '../../src/faces/cli/command-list.ts';
import { repositoryRoot } from '../support/vault.ts';

const read = (file: string): unknown => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'));
const manifest = readFileSync(join(repositoryRoot, 'package.json'), 'utf8');
const unpublished = readPublished();
const released = readPublished(namePublisher(manifest, 'Some-Owner/notes'));

const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  value: z.string().optional(),
  choices: z.array(z.string()).optional(),
};
const withVariables = { ...input, variables: z.record(z.string(), z.strictObject(input)).optional() };
const keyValue = z.strictObject({ ...withVariables, name: z.string() });
const argument = z.union([
  z.strictObject({ ...withVariables, type: z.literal('named'), name: z.string().regex(/^--/), isRepeated: z.boolean().optional() }),
  z
    .strictObject({ ...withVariables, type: z.literal('positional'), valueHint: z.string().optional(), isRepeated: z.boolean().optional() })
    .refine(({ value, valueHint }) => value !== undefined || valueHint !== undefined),
]);
const transport = z.union([
  z.strictObject({ type: z.literal('stdio') }),
  z.strictObject({ type: z.literal('streamable-http'), url: z.string(), headers: z.array(keyValue).optional() }),
]);
const version = z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);

/** `server.json` as the schema of 2025-12-11 has it, as far as it is used here, and nothing besides. */
const serverFile = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  repository: z.strictObject({ url: z.url(), source: z.literal('github') }).optional(),
  packages: z.array(
    z.strictObject({
      registryType: z.enum(['npm', 'mcpb']),
      registryBaseUrl: z.literal('https://registry.npmjs.org').optional(),
      identifier: z.string(),
      version,
      runtimeHint: z.string().optional(),
      transport,
      packageArguments: z.array(argument).optional(),
      environmentVariables: z.array(keyValue).optional(),
      fileSha256: z
        .string()
        .regex(/^[a-f0-9]{64}$/)
        .optional(),
    }),
  ),
});

const pluginFile = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  version,
  description: z.string(),
  author: z.strictObject({ name: z.string() }),
  homepage: z.url().optional(),
  repository: z.url().optional(),
  license: z.literal('Apache-2.0'),
  keywords: z.array(z.string()),
  userConfig: z.record(
    z.string().regex(/^[A-Za-z_]\w*$/),
    z.strictObject({
      type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
      title: z.string(),
      description: z.string(),
      required: z.boolean(),
    }),
  ),
});

it('V-19 server.json is as the registry wants it, before a release and in one, and says only what the program takes', () => {
  const bundle = {
    url: 'https://github.com/Some-Owner/notes/releases/download/v0.1.0/roux.mcpb',
    sha256: createHash('sha256').digest('hex'),
  };
  expect(serverJson(unpublished)).toEqual(read('server.json'));
  const files = [serverJson(unpublished), serverJson(released, bundle)].map((file) => serverFile.parse(file));
  const variables = new Set(listSettings().map(({ key }) => variableOf(key)));
  for (const { packages } of files) {
    const ofNpm = packages.filter(({ registryType }) => registryType === 'npm');
    for (const { identifier, version: of, packageArguments = [], environmentVariables = [] } of ofNpm) {
      expect([identifier, of]).toEqual([unpublished.name, unpublished.version]);
      expect(commandNames).toContain(packageArguments[0]?.value);
      expect(environmentVariables.filter(({ name }) => !variables.has(name))).toEqual([]);
    }
    expect(packages.filter(({ transport: { type } }) => type === 'streamable-http').length).toBe(1);
  }
  expect(files[1]).toMatchObject({ name: 'io.github.Some-Owner/roux', repository: { url: 'https://github.com/Some-Owner/notes' } });
  expect(files[1]?.packages.at(-1)).toMatchObject({ registryType: 'mcpb', identifier: bundle.url, fileSha256: bundle.sha256 });
});

it('V-19 who publishes is said where npm and the registry look, and nothing else of package.json changes', () => {
  const before = JSON.parse(manifest) as object;
  const after = JSON.parse(namePublisher(manifest, 'Some-Owner/notes')) as object;
  const repository = { type: 'git', url: 'git+https://github.com/Some-Owner/notes.git' };
  expect(after).toEqual({ ...before, mcpName: 'io.github.Some-Owner/roux', repository });
  expect(() => namePublisher(manifest, 'https://example.com')).toThrow('no repository');
  // Until then no name is told that could be somebody's.
  expect(JSON.stringify([serverJson(unpublished), pluginFiles(unpublished)])).not.toMatch(/github\.com|io\.github\.(?!OWNER\/)/);
});

it('V-19 the plugin is as Claude Code wants it: its manifest, its server, its marketplace', () => {
  for (const published of [unpublished, released]) {
    const files = pluginFiles(published);
    const plugin = pluginFile.parse(files['plugin/.claude-plugin/plugin.json']);
    expect(plugin.version).toBe(published.version);
    const server = z
      .strictObject({
        mcpServers: z.strictObject({ roux: z.strictObject({ command: z.enum(['npx', 'roux']), args: z.array(z.string()) }) }),
      })
      .parse(files['plugin/.mcp.json']);
    const { command, args } = server.mcpServers.roux;
    // What is not published yet is started from a clone.
    const first = published === released ? ['npx', '-y', `${published.name}@${published.version}`] : ['roux'];
    expect([command, ...args]).toEqual([...first, 'mcp', '${user_config.vault}']);
    for (const arg of args)
      for (const [, key = ''] of arg.matchAll(/\$\{user_config\.(\w+)\}/g)) expect(plugin.userConfig).toHaveProperty(key);
    const marketplace = z
      .strictObject({
        name: z.string(),
        owner: z.strictObject({ name: z.string() }),
        metadata: z.strictObject({ description: z.string() }),
        plugins: z.array(
          z.strictObject({
            name: z.literal(plugin.name),
            source: z.literal('./plugin'),
            description: z.string(),
            license: z.string(),
            keywords: z.array(z.string()),
          }),
        ),
      })
      .parse(files['.claude-plugin/marketplace.json']);
    expect(marketplace.plugins.length).toBe(1);
  }
  for (const [file, value] of Object.entries(pluginFiles(unpublished))) expect(read(file)).toEqual(value);
});

it('U-12 lines that need a published package are written by a release, and until then no page of the docs has one', () => {
  const pages = readdirSync(join(repositoryRoot, 'docs')).filter((name) => name.endsWith('.md'));
  const docs = ['README.md', 'docs/install.md', 'CONTRIBUTING.md', ...pages.map((name) => `docs/${name}`)].map((file) =>
    readFileSync(join(repositoryRoot, file), 'utf8'),
  );
  expect(docs.join('\n')).not.toMatch(/npx -y roux|npm install (?:-g|--global) roux/);
  expect(docs[0]).toContain(installLines(unpublished));
  expect(docs[1]).toContain(packageLines(unpublished));
  const [readme, install] = [installLines(released), packageLines(released)];
  expect(`${readme}\n${install}`).not.toContain('npm link');
  for (const line of [
    'claude mcp add --scope user roux -- npx -y roux mcp /path/to/vault',
    'codex mcp add roux -- npx -y roux mcp /path/to/vault',
    'gemini mcp add --scope user roux npx -- -y roux mcp /path/to/vault',
  ])
    expect(readme).toContain(`\`${line}\``);
  expect(install).toContain('npx -y roux demo');
});

it('V-19 install links hold what "roux init" would write for that client, and the README of a release has them', () => {
  const readme = installLines(released);
  const ways = new Map(installWays(released).map((way) => [way.client, way]));
  for (const { link, command } of ways.values()) expect(readme).toContain(link ?? command ?? '-');
  const configOf = (client: string, isBase64: boolean): unknown => {
    const config = new URL(ways.get(client)?.link ?? '').searchParams.get('config') ?? '';
    return JSON.parse(isBase64 ? Buffer.from(config, 'base64').toString() : config);
  };
  const npx = (vault: string) => ({ command: 'npx', args: ['-y', 'roux', 'mcp', vault] });
  expect(configOf('Cursor', true)).toEqual(npx('/path/to/vault'));
  expect(configOf('LM Studio', true)).toEqual(npx('/path/to/vault'));
  expect(configOf('VS Code', false)).toEqual({ type: 'stdio', ...npx('${input:vault}') });
  const inputs = JSON.parse(new URL(ways.get('VS Code')?.link ?? '').searchParams.get('inputs') ?? '') as readonly { id: string }[];
  expect(inputs.map(({ id }) => id)).toEqual(['vault']);
  expect(ways.get('Claude Code')?.command).toBe('claude mcp add --scope user roux -- npx -y roux mcp /path/to/vault');
});
