import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { inputSchema } from '../../src/ops/arguments.ts';
import { allOperations } from '../../src/ops/all.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';

const text = readFileSync(join(repositoryRoot, 'plugin/skills/roux/SKILL.md'), 'utf8');
const [, head = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
/** The calls of its examples: `tool {arguments}`, one a line. */
const calls = [...body.matchAll(/^```\n([^]*?)^```/gm)].flatMap(([, lines = '']) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [, tool = '', args = ''] = /^(\w+) (\{.*\})$/.exec(line) ?? [];
      return { tool, args: JSON.parse(args) as Record<string, unknown> };
    }),
);

it('V-19 the skill is named and described as its format says, and short', () => {
  const said = parse(head) as Record<string, string>;
  expect(Object.keys(said)).toEqual(['name', 'description']);
  expect(said['name']).toMatch(/^[a-z0-9-]{1,64}$/);
  expect(said['description']?.length).toBeLessThanOrEqual(1024);
  expect(body.split('\n').length).toBeLessThan(200);
});

it('V-19 every call that the skill shows is one that a server takes: there is the tool, and it has these arguments', async () => {
  expect(calls.length).toBeGreaterThan(25);
  await withVault('demo', (vault) =>
    withServer(
      vault,
      async ({ call }) => {
        const refused: string[] = [];
        for (const { tool, args } of calls) {
          const { isError, texts } = await call(tool, args);
          // Nobody can know the id of a task beforehand.
          const isUnknownTask = tool === 'graph_update' && texts[0]?.includes('"node_not_found"') === true;
          if (isError && !isUnknownTask) refused.push(`${tool}: ${texts[0] ?? ''}`);
        }
        expect(refused).toEqual([]);
      },
      { flags: ['--toolsets', 'all'] },
    ),
  );
});

it('V-19 every tool, argument and command that its sentences name exists', () => {
  const tools = new Set(allOperations.map(({ name }) => name));
  const known = new Set([...tools, ...allOperations.flatMap((operation) => namesIn(inputSchema(operation)))]);
  // Of answers, and what every write takes besides.
  for (const word of ['idempotency_key', 'etag', 'left', 'next_offset', 'context_links']) known.add(word);
  const prose = body.replaceAll(/^```[^]*?^```/gm, '');
  const named = [...prose.matchAll(/`([a-z][\w]*)(?::[^`]*)?`/g)].map(([, word = '']) => word);
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((word) => !known.has(word))).toEqual([]);
  expect(new Set(calls.map(({ tool }) => tool))).toEqual(new Set(calls.map(({ tool }) => tool).filter((tool) => tools.has(tool))));
});

/** The names of all properties that a schema speaks of. */
function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema && typeof schema.properties === 'object' ? Object.keys(schema.properties ?? {}) : [];
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}
