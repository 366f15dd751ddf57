import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { RouxError } from '../../../src/errors.ts';
import { toErrorTexts } from '../../../src/faces/envelope.ts';
import { allOperations } from '../../../src/ops/all.ts';
import { TOOLSETS } from '../../../src/ops/toolsets.ts';
import { cli } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { ToolAnswer } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';

/** The server asks for it. */
const OWNERS = 'a-token-of-the-owner-alone';
const ALL = { flags: ['--toolsets', 'all'] };
const TOOLS = allOperations.filter(({ toolset }) => toolset !== null);
const NOTES = { 'a.md': 'x\n', 'ontology.md': '---\ntype: ontology\nnode_types: [Shelf]\n---\n' };

const error = z.strictObject({
  error: z.strictObject({
    code: z.string().regex(/^([A-Z_]+|[a-z_]+)$/),
    message: z.string().regex(/\S/),
    details: z.record(z.string(), z.unknown()).optional(),
    retryable: z.literal(true).optional(),
  }),
});
/** The document of the knowledge graph has a form of its own. */
const envelope = z.object({ status: z.literal('ERROR'), error: z.object({ error_code: z.string(), message: z.string() }) });

/** Whether the text blocks of a tool are an error in the form of its toolset. */
function isToolForm(tool: string, { texts, structured }: ToolAnswer): boolean {
  const { toolset, envelope: status } = TOOLS.find(({ name }) => name === tool)!;
  const value: unknown = JSON.parse(texts.at(-1) ?? 'null');
  if (structured !== undefined) return false;
  if (status !== undefined) return texts.length === 1 && envelope.safeParse(value).success;
  const { success, data } = error.safeParse(value);
  return success && (toolset === 'memory' ? texts.length === 2 && texts[0] === data.error.message : texts.length === 1);
}

/** Arguments that do not fit, made from what a tool lists. */
function badArguments(properties: Readonly<Record<string, { readonly type?: unknown }>>): readonly Record<string, unknown>[] {
  const each = (value: (type: unknown) => unknown) =>
    Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, value(type)]));
  return [{}, each(() => ({ bad: 1 })), each(() => -5), each((type) => (type === 'string' ? 'Nowhere' : undefined))];
}

describe('A-17 one form of error', () => {
  it('every tool has it for arguments that are missing, of the wrong kind, out of bounds or name nothing', () =>
    withVault(NOTES, (vault) =>
      withServer(
        vault,
        async ({ client, call }) => {
          const refused = new Set<string>();
          const wrong: unknown[] = [];
          for (const { name, inputSchema } of (await client.listTools()).tools)
            for (const args of badArguments((inputSchema.properties ?? {}) as Record<string, { type?: unknown }>)) {
              const answer = await call(name, args);
              if (!answer.isError) continue;
              refused.add(name);
              if (!isToolForm(name, answer)) wrong.push([name, answer.texts]);
            }
          expect(wrong).toEqual([]);
          // These have no argument that could be wrong.
          const open = ['get_ontology', 'vault_overview'];
          expect(TOOLS.map(({ name }) => name).filter((name) => !refused.has(name) && !open.includes(name))).toEqual([]);
          for (const [tool, args, code] of [
            ['update_node', { id: 'a', content: 'y', expected_rev: 7 }, 'CONFLICT'],
            ['update_node', { id: 'a', content: 'y', dryRun: true }, 'INVALID_PARAMS'],
            ['create_node', { title: 'a' }, 'NODE_EXISTS'],
            ['create_node', { title: 'b', type: 'Chair' }, 'INVALID_NODE_TYPE'],
          ] as const) {
            const answer = await call(tool, args);
            expect(isToolForm(tool, answer), tool).toBe(true);
            expect(answer.value.error.code).toBe(code);
          }
          const unknown = await call('nothing_like_it');
          expect(unknown.isError).toBe(true);
          expect(error.safeParse(unknown.value).success).toBe(true);
          expect(vault.read('a.md')).toBe('x\n');
        },
        ALL,
      ),
    ));

  it('so do the commands with --json, wrong usage included', () =>
    withVault(NOTES, async (vault) => {
      for (const [words, status] of [
        [['get', 'Nowhere'], 1],
        [['update', 'a', '--content', 'y', '--if-match', '0000000000000000'], 3],
        [['search', 'x', '--limit', 'many'], 2],
        [['search', 'x', '--no-such-option'], 2],
        [['no-such-command'], 2],
      ] as const) {
        const done = await cli([...words, '--json', '--vault', vault.root]);
        expect(done.status, words.join(' ')).toBe(status);
        expect(error.safeParse(JSON.parse(done.stdout)).success, done.stdout).toBe(true);
      }
    }));

  it('so does HTTP, where nothing that calls is known too', () =>
    withVault(NOTES, (vault) =>
      withServe(vault, ['--toolsets', 'all', '--token', OWNERS], async ({ url }) => {
        const post = async (path: string, body: string, token = OWNERS) =>
          (
            await fetch(`${url}${path}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
              body,
            })
          ).json();
        const wrong: unknown[] = [];
        for (const { name, envelope: status } of TOOLS)
          if (status === undefined) {
            const answer = await post(`/api/${name}`, '[1]');
            if (!error.safeParse(answer).success) wrong.push([name, answer]);
          }
        expect(wrong).toEqual([]);
        for (const [path, body, token] of [
          ['/api/get_node', '{', OWNERS],
          ['/api/nothing', '{}', OWNERS],
          ['/nowhere', '{}', OWNERS],
          ['/api/get_node', '{}', 'wrong'],
        ] as const)
          expect(error.safeParse(await post(path, body, token)).success, path).toBe(true);
      }),
    ));

  it('says retryable where the same call may succeed later, and else leaves it out', () => {
    const later = new RouxError('LOCK_TIMEOUT', 'Another process writes; try again.', { timeout_ms: 1 }, { retryable: true });
    const whole = { code: 'LOCK_TIMEOUT', message: later.message, details: { timeout_ms: 1 }, retryable: true };
    for (const toolset of [null, ...TOOLSETS]) {
      const texts = toErrorTexts(later, toolset);
      expect(JSON.parse(texts.at(-1)!)).toEqual({ error: whole });
      expect(texts.slice(0, -1)).toEqual(toolset === 'memory' ? [later.message] : []);
      expect(JSON.parse(toErrorTexts(new RouxError('NO_SPACE', 'The disk is full.'), toolset).at(-1)!)).toEqual({
        error: { code: 'NO_SPACE', message: 'The disk is full.' },
      });
    }
  });
});
