import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toInstructions } from '../../../src/faces/mcp/surface/instructions.ts';
import { toTool } from '../../../src/faces/mcp/surface/tools.ts';
import { allOperations } from '../../../src/ops/all.ts';
import { chooseOperations, TOOLSETS } from '../../../src/ops/toolsets.ts';
import { cli } from '../../support/program/cli.ts';
import { turnAt } from '../../support/effort.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpOptions } from '../../support/program/mcp-client.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';

/** What clients can be offered. */
const tools = allOperations.filter(({ toolset }) => toolset !== null);

const golden = join(repositoryRoot, 'test/tools');

/** The tools that common clients take. */
const MAX_DEFAULT_TOOLS = 40;
/** What a client reads: the whole answer of `tools/list`, with 1,000 characters of room left. */
const MAX_DEFAULT_CHARACTERS = 29_000;
const MAX_ALL_CHARACTERS = 59_000;

describe('the list of tools', () => {
  for (const operation of tools) {
    it(`${operation.name} is as agreed`, async () => {
      await expect(`${JSON.stringify(toTool(operation), null, 2)}\n`).toMatchFileSnapshot(join(golden, `${operation.name}.json`));
    });
  }

  it('has no agreed form for a tool that is gone', () => {
    const names = new Set(tools.map((operation) => `${operation.name}.json`));
    expect(readdirSync(golden).filter((file) => !names.has(file))).toEqual([]);
  });

  it('has tools in every toolset that can be chosen', () => {
    for (const toolset of TOOLSETS) expect(chooseOperations(allOperations, { toolsets: [toolset], readOnly: false })).not.toEqual([]);
    const all = chooseOperations(allOperations, { toolsets: ['all'], readOnly: false });
    expect(all.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).toSorted());
    const own = allOperations.filter(({ toolset }) => toolset === null).map(({ name }) => name);
    for (const name of own)
      expect(() => chooseOperations(allOperations, { toolsets: [], tools: [name], readOnly: false })).toThrow('Unknown tool');
  });

  it('stays within its budget, and the instructions within 2,500 characters', () => {
    const listed = (toolsets: readonly string[]) =>
      chooseOperations(allOperations, { toolsets, readOnly: false }).map((operation) => toTool(operation));
    expect(listed(['default']).length).toBeLessThanOrEqual(MAX_DEFAULT_TOOLS);
    for (const [toolset, most] of [
      ['default', MAX_DEFAULT_CHARACTERS],
      ['all', MAX_ALL_CHARACTERS],
    ] as const) {
      const list = listed([toolset]);
      // Whoever adds a word sees where to cut another one.
      const users = list.map((tool): [string, number] => [tool.name, JSON.stringify(tool).length]).toSorted(([, a], [, b]) => b - a);
      const table = users.map(([name, length]) => `${String(length).padStart(5)}  ${name}`).join('\n');
      expect(JSON.stringify({ tools: list }).length, `characters by tool:\n${table}\n`).toBeLessThanOrEqual(most);
    }
    for (const isReadOnly of [true, false])
      expect(toInstructions(new Set(TOOLSETS), { isReadOnly, writeFolders: null }).length).toBeLessThanOrEqual(2_500);
  });

  it('offers no origin that an agent cannot have, and says what the batch of a write is for', () => {
    const offered = tools
      .map((operation) => toTool(operation))
      .filter(({ inputSchema }) => JSON.stringify(inputSchema).includes('"import"'));
    expect(offered.length).toBeGreaterThan(5);
    for (const { name, inputSchema } of offered) expect(JSON.stringify(inputSchema), name).not.toMatch(/"person"|unlisted/);
    expect(toInstructions(new Set(TOOLSETS), { isReadOnly: false, writeFolders: null })).toContain('roux undo BATCH');
  });

  it('A-16 says of every tool its title, whether it reads, and of what writes whether it overwrites and may be repeated', () => {
    for (const operation of tools) {
      const tool = toTool(operation);
      const { annotations, inputSchema, title } = tool;
      expect(title).toMatch(/^[A-Z]/);
      expect(Object.keys(annotations), tool.name).toEqual(
        annotations.readOnlyHint
          ? ['readOnlyHint', 'openWorldHint']
          : ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'],
      );
      expect(annotations.openWorldHint).toBe(false);
      expect(tool).not.toHaveProperty('outputSchema');
      expect(JSON.stringify(inputSchema)).not.toContain('$schema');
      expect(operation.summary.length).toBeLessThanOrEqual(160);
    }
    const hints = (name: string) => toTool(tools.find((operation) => operation.name === name)!).annotations;
    expect(hints('update_node')).toMatchObject({ destructiveHint: true, idempotentHint: false });
    expect(hints('create_entities')).toMatchObject({ destructiveHint: false, idempotentHint: true });
  });

  it('item 25: lists every argument that leaves content or observations out', () => {
    const takers = (argument: string) => tools.filter((operation) => operation.effect === 'read' && argument in operation.input.shape);
    const listing = (argument: string) => tools.filter((operation) => argument in (toTool(operation).inputSchema.properties ?? {}));
    for (const [argument, names] of [
      ['include_content', ['get_neighbors', 'search', 'search_by_tags']],
      ['max_observations', ['open_nodes', 'search_nodes']],
    ] as const) {
      expect(
        takers(argument)
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(names);
      expect(listing(argument)).toEqual(expect.arrayContaining(takers(argument)));
    }
  });

  it('is sorted, the same for every client, and chosen by flag, environment and file', () =>
    withVault({ '.rouxrc.json': '{"toolsets": ["ontology"]}', 'a.md': '' }, async (vault) => {
      const names = async (options: McpOptions) =>
        withServer(vault, async ({ client }) => (await client.listTools()).tools.map((tool) => tool.name), options);
      const listed = await names({});
      expect(listed).toContain('get_ontology');
      expect(listed).not.toContain('search');
      expect(listed).toEqual(listed.toSorted());
      expect(await names({ env: { ROUX_TOOLSETS: 'vault' } })).toContain('search');
      expect(await names({ env: { ROUX_TOOLSETS: 'vault' }, flags: ['--toolsets', 'memory'] })).toContain('read_graph');
      expect(await names({ flags: ['--tools', 'search,get_node'] })).toEqual(['get_node', 'search']);
    }));

  it('an unknown toolset, tool, flag or key stops the start and names the valid ones', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      const toolset = await cli(['mcp', vault.root, '--toolsets', 'valt']);
      expect(toolset).toMatchObject({ status: 2, stdout: '' });
      expect(toolset.stderr).toMatch(/valt.*did you mean "vault".*tasks, memory/s);
      const flags = [
        ['--toolsets=knowlege', 'toolset'],
        ['--toolsets=', 'toolset'],
        ['--toolsets= , ', 'toolset'],
        ['--tools=', 'tool'],
      ] as const;
      for (const [index, [flag, kind]] of flags.entries()) {
        for (const command of turnAt(index, ['mcp', 'serve'])) {
          const none = await cli([command, vault.root, flag]);
          expect(none, `${command} ${flag}`).toMatchObject({ status: 2, stdout: '' });
          expect(none.stderr).toMatch(
            kind === 'toolset'
              ? /Valid toolsets: vault, tasks, memory, ontology, knowledge, admin, default, all/
              : /Valid tools: .*get_node/,
          );
        }
      }
      const tool = await cli(['mcp', vault.root, '--tools', 'serch']);
      expect(tool).toMatchObject({ status: 2 });
      expect(tool.stderr).toMatch(/serch.*did you mean "search".*get_node/s);
      expect(await cli(['mcp', vault.root, '--toolset', 'x'])).toMatchObject({ status: 2 });
      vault.write('.rouxrc.json', '{"toolset": []}');
      const key = await cli(['mcp', vault.root]);
      expect(key).toMatchObject({ status: 2 });
      expect(key.stderr).toMatch(/\.rouxrc\.json.*"toolset".*did you mean "toolsets"/s);
      vault.write('.rouxrc.json', '{broken');
      expect((await cli(['mcp', vault.root])).stderr).toContain('not valid JSON');
      expect(await cli(['mcp', vault.path('nowhere')])).toMatchObject({ status: 3 });
      expect(await cli(['mcp', vault.path('a.md')])).toMatchObject({ status: 3 });
    }));

  it('with --read-only no tool writes, whatever else is set', () =>
    withVault({ 'a.md': 'x\n' }, (vault) =>
      withMcp(
        vault,
        async ({ client, refuse, call }) => {
          const listed = await client.listTools();
          const offered = new Set(listed.tools.map((tool) => tool.name));
          for (const operation of tools) {
            expect(offered.has(operation.name), operation.name).toBe(operation.effect === 'read' || operation.writesByOption === true);
          }
          for (const { name, annotations } of listed.tools) expect(annotations, name).toEqual({ readOnlyHint: true, openWorldHint: false });
          await refuse('update_node', { id: 'a', content: 'y' });
          await call('graph_open', { project: 'p', goal: 'g' });
          await call('graph_next', { claim: true });
          expect(vault.files()).toEqual(['a.md']);
          expect(vault.read('a.md')).toBe('x\n');
        },
        { flags: ['--toolsets', 'all', '--read-only'] },
      ),
    ));
});
