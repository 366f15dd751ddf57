import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { directoryFiles } from '../../scripts/package/directory-files.ts';
import { namePublisher, readPublished } from '../../scripts/package/publisher.ts';
import { listSettings, variableOf } from '../../src/config.ts';
import { commandNames } from '../../src/faces/cli/command-list.ts';
import { repositoryRoot } from '../support/vault.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const manifest = readFileSync(join(repositoryRoot, 'package.json'), 'utf8');
const unpublished = directoryFiles(readPublished());
const released = directoryFiles(readPublished(namePublisher(manifest, 'Some-Owner/notes')), COMMIT);
const BOTH = [unpublished, released];
const variables = new Set(listSettings().map(({ key }) => variableOf(key)));

/** What Docker's directory and Smithery know of a parameter. */
const parameters = z.strictObject({
  type: z.literal('object'),
  properties: z.record(
    z.string().regex(/^\w+$/),
    z.strictObject({
      type: z.enum(['string', 'boolean', 'array', 'integer', 'number']),
      title: z.string().optional(),
      description: z.string(),
      default: z.union([z.string(), z.boolean()]).optional(),
    }),
  ),
  required: z.array(z.string()).optional(),
});

it('O-07 the files are those that the package and the code give', () => {
  expect(Object.keys(unpublished)).toEqual(['glama.json', 'smithery.yaml', 'catalogs/docker-mcp/server.yaml', 'llms.txt']);
  for (const [file, text] of Object.entries(unpublished))
    expect([file, readFileSync(join(repositoryRoot, file), 'utf8')]).toEqual([file, text]);
  // Until somebody publishes it, nobody is named.
  expect(Object.values(unpublished).join('\n')).not.toMatch(/github(?:usercontent)?\.com\/(?!docker\/mcp-registry|OWNER\/)/);
});

it('O-07 glama.json is as glama.ai has it: users of GitHub who may change the entry', () => {
  const file = z.strictObject({
    $schema: z.literal('https://glama.ai/mcp/schemas/server.json'),
    maintainers: z.array(z.string().regex(/^[\w-]+$/)),
  });
  expect(BOTH.map((files) => file.parse(JSON.parse(files['glama.json'] ?? '')).maintainers)).toEqual([[], ['Some-Owner']]);
});

it('O-07 smithery.yaml is as Smithery has it, and starts the program with settings that it has', () => {
  const file = z.strictObject({
    build: z.strictObject({ dockerfile: z.string(), dockerBuildPath: z.string() }),
    startCommand: z.strictObject({
      type: z.enum(['stdio', 'http']),
      configSchema: parameters,
      commandFunction: z.string(),
      exampleConfig: z.record(z.string(), z.unknown()),
    }),
  });
  const { build, startCommand } = file.parse(parse(unpublished['smithery.yaml'] ?? ''));
  expect(existsSync(join(repositoryRoot, build.dockerfile))).toBe(true);
  const command = z.strictObject({ command: z.literal('roux'), args: z.array(z.string()), env: z.record(z.string(), z.string()) });
  const start = runInNewContext(startCommand.commandFunction) as (config: object) => unknown;
  // A directory also starts it with nothing configured, to list the tools.
  for (const config of [{}, startCommand.exampleConfig, { vault: '/notes', readOnly: true, toolsets: 'vault' }]) {
    const { args, env } = command.parse(start(config));
    expect(commandNames).toContain(args[0]);
    expect(Object.keys(env).filter((name) => !variables.has(name))).toEqual([]);
  }
  expect(command.parse(start({ vault: '/notes', readOnly: true }))).toMatchObject({
    args: ['mcp', '/notes'],
    env: { ROUX_READ_ONLY: 'true' },
  });
  for (const name of Object.keys(startCommand.exampleConfig)) expect(startCommand.configSchema.properties).toHaveProperty(name);
});

it("O-07 the entry for Docker's catalog passes what its validator checks, and starts what the Dockerfile builds", () => {
  const file = z.strictObject({
    name: z.string().regex(/^[a-z0-9-]+$/),
    image: z.string(),
    type: z.literal('server'),
    meta: z.strictObject({ category: z.string(), tags: z.array(z.string().regex(/^[a-z0-9-]+$/)).min(1) }),
    about: z.strictObject({
      // Neither "MCP" nor "Server", every word with a capital.
      title: z.string().regex(/^(?!.*(?:MCP|Server))[A-Z0-9]\S*(?: (?:and|for|[A-Z0-9]\S*))*$/),
      description: z.string(),
      icon: z.url().optional(),
    }),
    source: z.strictObject({ project: z.url({ hostname: /^github\.com$/ }), commit: z.string().regex(/^[a-f0-9]{40}$/) }),
    run: z.strictObject({ command: z.array(z.string()), volumes: z.array(z.string()), disableNetwork: z.boolean() }),
    config: z.strictObject({
      description: z.string(),
      env: z.array(z.strictObject({ name: z.string(), example: z.string(), value: z.string() })),
      parameters,
    }),
  });
  const dockerfile = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8');
  for (const files of BOTH) {
    const { name, image, run, config } = file.parse(parse(files['catalogs/docker-mcp/server.yaml'] ?? ''));
    expect(image).toBe(`mcp/${name}`);
    expect(commandNames).toContain(run.command[0]);
    const values = [...run.volumes, ...config.env.map(({ value }) => value)];
    for (const [, parameter = ''] of values.join('\n').matchAll(/\{\{([^}]*)\}\}/g))
      expect(Object.keys(config.parameters.properties).map((each) => `${name}.${each}`)).toContain(parameter);
    expect(config.env.filter((each) => !variables.has(each.name))).toEqual([]);
    for (const volume of run.volumes) expect(dockerfile).toContain(`VOLUME ["${volume.split(':')[1] ?? ''}"`);
    for (const required of config.parameters.required ?? []) expect(config.parameters.properties).toHaveProperty(required);
  }
  expect(released['catalogs/docker-mcp/server.yaml']).toContain(`commit: ${COMMIT}`);
  expect(released['catalogs/docker-mcp/server.yaml']).toContain('project: https://github.com/Some-Owner/notes');
});

it('O-07 llms.txt has the form of llmstxt.org, and names every page that the README names', () => {
  for (const text of BOTH.map((files) => files['llms.txt'] ?? '')) {
    const [head = '', ...sections] = text.split(/^(?=## )/m);
    // One title, a summary, then text without headings.
    expect(head).toMatch(/^# [^\n]+\n\n> [^\n]+\n\n(?:(?!#)[^\n]*\n)*$/);
    expect(text.match(/^# /gm)).toHaveLength(1);
    expect(sections.map((section) => /^## (.+)$/m.exec(section)?.[1])).toEqual(['Docs', 'Optional']);
    for (const section of sections) expect(section).toMatch(/^## [^\n]+\n\n(?:- \[[^\]\n]+\]\([^)\s]+\)(?:: [^\n]+)?\n)+\n?$/);
  }
  const links = [...(unpublished['llms.txt'] ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  expect(links.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  const pages = readdirSync(join(repositoryRoot, 'docs')).filter((name) => name.endsWith('.md') && name !== 'releasing.md');
  expect(pages.map((name) => `docs/${name}`).filter((path) => !links.includes(path))).toEqual([]);
  expect(released['llms.txt']).toContain('(https://raw.githubusercontent.com/Some-Owner/notes/v');
});
