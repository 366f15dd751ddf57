import type { Client as ModernClient } from '@modelcontextprotocol/client';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { outputSchema } from '../../../src/faces/mcp/surface/output-schemas.ts';
import { isRecord } from '../../../src/is-record.ts';
import { allOperations } from '../../../src/ops/all.ts';
import { TOOLSETS } from '../../../src/ops/toolsets.ts';
import { WORK } from '../../support/program/days-work.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withModernHttp, withModernStdio } from '../../support/program/modern-client.ts';
import { withServe } from '../../support/program/http-server.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const flags = ['--structured', '--toolsets', 'all'];
const TOOLS = allOperations.filter(({ toolset }) => toolset !== null);

/** Calls a tool; the official client throws where the structured answer does not match what `tools/list` said of it. */
async function callBoth({ client }: McpSession, name: string, args: Record<string, unknown>) {
  const { content, structuredContent, isError } = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
  const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
  return { texts, structured: structuredContent, isError: isError === true };
}

/** What of a structured answer is not in the text blocks, or the other way around; and top-level keys that the schema does not tell of. */
function differences(name: string, texts: readonly string[], structured: Record<string, unknown> | undefined): readonly string[] {
  const operation = TOOLS.find((each) => each.name === name)!;
  const [text = '', more = '{}'] = texts;
  const value: unknown = operation.toolset === 'memory' && /^\w+ deleted/.test(text) ? text : JSON.parse(text);
  const beside = JSON.parse(more) as { readonly _warnings?: readonly string[] };
  const { _warnings: own = [] } = (isRecord(value) ? value : {}) as { readonly _warnings?: readonly string[] };
  const warnings = [...own, ...(beside._warnings ?? [])];
  const answer = operation.structured === undefined ? (isRecord(value) ? value : { result: value }) : operation.structured(value);
  const wanted = { ...answer, ...beside, ...(warnings.length === 0 ? {} : { _warnings: warnings }) };
  const { properties = {} } = outputSchema(operation) as { properties?: object };
  const untold = Object.keys(structured ?? {}).filter((key) => !(key in properties) && !/^_(age|origin|stale|confirmed)/.test(key));
  return [
    ...(JSON.stringify(sorted(structured)) === JSON.stringify(sorted(wanted))
      ? []
      : [`${name}: ${JSON.stringify(structured)}, not ${JSON.stringify(wanted)}`]),
    ...untold.map((key) => `${name} has ${key}, of which its schema says nothing`),
  ];
}

function sorted(value: Record<string, unknown> | undefined): unknown {
  return Object.entries(value ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

describe('A-16 with --structured', () => {
  it('no tool says so unless it is asked for', () =>
    withVault({ 'a.md': 'x\n' }, (vault) =>
      withServer(vault, async (session) => {
        const { tools } = await session.client.listTools();
        expect(tools.filter((tool) => tool.outputSchema !== undefined)).toEqual([]);
        expect((await callBoth(session, 'get_node', { id: 'a' })).structured).toBeUndefined();
      }),
    ));

  it('every tool has a schema that says something', () => {
    const said = (name: string): readonly string[] => {
      const { properties } = outputSchema(TOOLS.find((tool) => tool.name === name)!) as unknown as {
        properties: Record<string, { properties?: object }>;
      };
      return Object.keys({ ...properties, ...properties['output']?.properties }).filter(
        (key) => !['_warnings', 'dry_run', 'diff', 'request_id', 'status', 'output'].includes(key),
      );
    };
    expect(TOOLS.map(({ name }) => name).filter((name) => name !== 'kg_healthcheck' && said(name).length === 0)).toEqual([]);
  });

  it.each(TOOLSETS)('the official client takes the answers of every tool of %s, which say what the text says', (toolset) =>
    withVault(WORK[toolset].notes, (vault) =>
      withServer(
        vault,
        async (session) => {
          const { tools } = await session.client.listTools();
          expect(tools.filter((tool) => tool.outputSchema === undefined)).toEqual([]);
          const wrong: string[] = [];
          const called = new Set<string>();
          await WORK[toolset].calls(async (tool, args = {}) => {
            const { texts, structured, isError } = await callBoth(session, tool, args);
            expect(isError, `${tool}: ${texts.join(' ')}`).toBe(false);
            called.add(tool);
            wrong.push(...differences(tool, texts, structured));
            return isRecord(structured) && 'result' in structured ? structured['result'] : textValue(texts[0]);
          }, vault);
          expect(wrong).toEqual([]);
          expect([...called].toSorted()).toEqual(TOOLS.flatMap((tool) => (tool.toolset === toolset ? [tool.name] : [])).toSorted());
        },
        { flags },
      ),
    ),
  );

  it('what is missing, left out, only tried or refused is taken too', () =>
    withVault(
      { 'a.md': '[[b]] [[nobody]]\n', 'b.md': `x\n${'y\n'.repeat(9_000)}`, 'ontology.md': '---\ntype: ontology\nnode_types: [A]\n---\n' },
      (vault) =>
        withServer(
          vault,
          async (session) => {
            await session.client.listTools();
            const ask = (tool: string, args: Record<string, unknown>) => callBoth(session, tool, args);
            const missing = await ask('get_node', { id: 'nowhere at all' });
            expect(missing.texts[0]).toBe('null');
            expect(missing.structured).toMatchObject({ result: null });
            expect((await ask('find_path', { source: 'b', target: 'ontology.md' })).structured).toMatchObject({
              result: null,
              _warnings: [expect.stringContaining('No chain of links') as string],
            });
            expect((await ask('get_nodes', { ids: ['nowhere', 'a'] })).structured).toMatchObject({ nodes: [null, { id: 'a.md' }] });
            const more: readonly (readonly [string, Record<string, unknown>])[] = [
              ['get_node', { id: 'nobody' }],
              ['get_node', { id: 'a', as_of: '2100-01-01' }],
              ['list_nodes', { group_by: 'file.name', limit: 0 }],
            ];
            for (const [tool, args] of more) {
              const { texts, structured } = await ask(tool, args);
              expect(differences(tool, texts, structured)).toEqual([]);
            }
            expect((await ask('random_node', { tags: ['none'] })).structured).toMatchObject({ result: null });
            expect((await ask('get_node', { id: 'b' })).structured).toMatchObject({ next_offset: expect.any(Number) as number });
            const tried = { title: 'c', dry_run: true };
            expect((await ask('create_node', tried)).structured).toMatchObject({
              dry_run: true,
              diff: expect.stringContaining('c.md') as string,
            });
            const entities = [{ name: 'Ada', entityType: 'person', observations: [] }];
            expect((await ask('create_entities', { entities, dry_run: true })).structured).toMatchObject({ dry_run: true });
            const unknown = await ask('list_nodes', { limit: 1, colour: 'red' });
            expect(unknown.structured).toMatchObject({ total: 3, _warnings: ['Unknown field colour was ignored.'] });
            for (const [tool, args] of [
              ['get_node', {}],
              ['delete_node', { id: 7 }],
              ['open_nodes', {}],
              ['graph_context', { node_id: 'nowhere' }],
              ['query_nodes', { offset: -1 }],
              ['kg_get_entity_edge', { input: { uuid: 'f-none' } }],
            ] as const) {
              const refused = await ask(tool, args);
              expect([tool, refused.isError, refused.structured]).toEqual([tool, true, undefined]);
            }
          },
          { flags },
        ),
    ));

  it('is a setting, and an option of the built program', () =>
    withVault({ 'a.md': 'x\n', '.rouxrc.json': '{"structured": true}' }, async (vault) => {
      const isDescribed = async ({ client }: McpSession) =>
        (await client.listTools()).tools.every((tool) => tool.outputSchema !== undefined);
      expect(await withServer(vault, isDescribed)).toBe(true);
      vault.write('.rouxrc.json', '{}');
      expect(await withMcp(vault, isDescribed, { flags: ['--structured'] })).toBe(true);
      expect(await withMcp(vault, isDescribed)).toBe(false);
    }));

  it('clients of 2026-07-28 take it too, over stdio and HTTP', () =>
    withVault({ 'a.md': 'x\n' }, async (vault) => {
      const askAll = async (client: ModernClient): Promise<readonly unknown[]> => {
        const { tools } = await client.listTools();
        const ask = async (name: string, args: Record<string, unknown>) =>
          (await client.callTool({ name, arguments: args })).structuredContent;
        return [
          tools.every((tool) => tool.outputSchema !== undefined),
          await ask('get_node', { id: 'a' }),
          await ask('search_by_tags', { tags: ['none'] }),
          await ask('get_node', {}),
        ];
      };
      const wanted = [true, expect.objectContaining({ id: 'a.md' }), expect.objectContaining({ result: [] }), undefined];
      expect(await withModernStdio(vault, askAll, { flags: ['--structured'] })).toEqual(wanted);
      expect(await withServe(vault, ['--structured'], ({ url }) => withModernHttp(url, askAll))).toEqual(wanted);
    }));
});

function textValue(text = ''): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
