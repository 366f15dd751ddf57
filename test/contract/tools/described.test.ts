import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/is-record.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Tools that need one of several parameters, as the descriptions of these say. */
const ONE_OF_SEVERAL: ReadonlySet<string> = new Set([
  'create_node',
  'update_nodes',
  'confirm',
  'kg_get_episodes',
  'kg_get_receipt',
  'kg_retry_parked',
]);

/** Paths of the parameters that have no description, at any depth. */
function bare(path: string, schema: Schema): readonly string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [
    ...(each.description === undefined ? [`${path}.${name}`] : []),
    ...bare(`${path}.${name}`, each),
  ]);
  const inner = [schema.items, ...(schema.anyOf ?? [])].flatMap((each) => (each === undefined ? [] : bare(path, each)));
  return [...own, ...inner];
}

describe('what the list of tools says', () => {
  it('A-15 describes every parameter of every tool', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServer(
        vault,
        async ({ client }) => {
          const { tools } = await client.listTools();
          expect(tools.length).toBeGreaterThan(60);
          expect(tools.flatMap(({ name, inputSchema }) => bare(name, inputSchema as Schema))).toEqual([]);
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ));

  it('A-15 what the instructions name is in the schemas, and so is what continues an answer', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServer(vault, async ({ client }) => {
        const { tools } = await client.listTools();
        const has = (name: string, argument: string): boolean =>
          isRecord(tools.find((tool) => tool.name === name)?.inputSchema.properties?.[argument]);
        const instructions = client.getInstructions() ?? '';
        for (const argument of ['edits', 'append', 'section', 'if_match', 'dry_run', 'idempotency_key']) {
          expect(instructions).toContain(argument);
          expect(has('update_node', argument), argument).toBe(true);
        }
        for (const [tool, argument] of [
          ['update_node', 'expected_rev'],
          ['update_node', 'include_content'],
          ['create_node', 'include_content'],
          ['open_nodes', 'observations_offset'],
          ['open_nodes', 'relations_offset'],
          ['list_nodes', 'groups_offset'],
          ['update_nodes', 'dry_run'],
        ] as const)
          expect(has(tool, argument), `${tool}.${argument}`).toBe(true);
      }),
    ));

  it('A-15 what is refused when it is missing is required', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServer(
        vault,
        async ({ client }) => {
          const { tools } = await client.listTools();
          const wrong: string[] = [];
          for (const { name, inputSchema } of tools) {
            const schema = inputSchema as Schema;
            const { input } = schema.properties ?? {};
            const isRequired = ((input ?? schema).required ?? []).length > 0;
            const answer = await client.callTool({ name, arguments: input === undefined ? {} : { input: {} } });
            const isRefused =
              answer.isError === true && /INVALID_PARAMS|INVALID_ARGUMENT|validation_error|required/.test(JSON.stringify(answer));
            if (isRefused !== (isRequired || ONE_OF_SEVERAL.has(name))) wrong.push(name);
          }
          expect(wrong).toEqual([]);
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ));
});
