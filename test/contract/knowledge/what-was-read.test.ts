import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { doorsOf, stating, withDoor } from './conformance/doors.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ok, refused } from './kg.ts';

const MEMORY = { vault: { '.rouxrc.json': '{"knowledge": {"single": ["LIVES_IN"]}}' } };
const FLAGS = { flags: ['--toolsets', 'knowledge'] };

function said(content: string, more: Record<string, unknown> = {}): unknown {
  return { role_type: 'user', role: 'Nora', content, timestamp: '2026-01-01T00:00:00Z', ...more };
}

describe.each(doorsOf(0))('what was read, over %s', (kind) => {
  it('K-02 the answer counts the facts of a call, and what they superseded and contradicted', () =>
    withDoor(kind, MEMORY, async (door) => {
      const add = (...messages: readonly unknown[]) => door.ok('AddMessages', { group_id: 'g', messages });
      const first = await add(said('I -[LIVES_IN]-> Lyon: Nora lives in Lyon.\nI -[LIKES]-> Tea: Nora likes tea.'));
      expect(first.read).toEqual({ facts: 2, superseded: 0, contradicted: 0, statements: 0 });
      expect(first).not.toHaveProperty('hint');
      const later = { timestamp: '2026-02-01T00:00:00Z' };
      const second = await add(said('I -[LIVES_IN]-> Porto: Nora lives in Porto.\nI -[!LIKES]-> Tea: Nora does not like tea.', later));
      expect(second.read).toEqual({ facts: 2, superseded: 1, contradicted: 1, statements: 0 });
      expect((await door.ok('GetReceipt', { receipt_id: second.receipt_id })).read).toEqual(second.read);
      const third = await door.ok('AddEpisodes', {
        group_id: 'g',
        items: [stating([{ name: 'KNOWS', target: 'Bob', fact: 'Alice knows Bob.' }])],
      });
      expect(third.read).toEqual({ facts: 1, superseded: 0, contradicted: 0, statements: 0 });
    }));

  it('K-02 no facts are told as 0, with what to do', () =>
    withDoor(kind, {}, async (door) => {
      const answer = await door.ok('AddMessages', { group_id: 'g', messages: [said('I moved to Lyon in March.')] });
      expect(answer).toMatchObject({
        read: { facts: 0, statements: 1 },
        hint: expect.stringMatching(/extraction.*-\[LIVES_IN\]->.*endpoint/),
      });
      expect((await door.ok('GetReceipt', { receipt_id: answer.receipt_id })).hint).toBe(answer.hint);
    }));

  it('K-02 what could not be read is counted, and the receipt named', () =>
    withDoor(kind, {}, async (door) => {
      const answer = await door.ok('AddMessages', { group_id: 'g', messages: [said(`I -[R]-> B: ${'x'.repeat(2001)}`)] });
      expect(answer).toMatchObject({ parked: 1, hint: expect.stringContaining('kg_get_receipt') });
      expect(answer).not.toHaveProperty('read');
    }));
});

describe('a supplied extraction', () => {
  const nodes = [
    { tmp_ref: 'n', name: 'Nora' },
    { tmp_ref: 'l', name: 'Lyon' },
  ];
  const edge = { name: 'LIVES_IN', fact: 'Nora lives in Lyon.', source_ref: 'n', target_ref: 'l' };
  const wrong: readonly (readonly [string, unknown])[] = [
    ['a dangling ref', { nodes, edges: [{ ...edge, target_ref: 'x' }] }],
    ['an entity that does not exist', { nodes, edges: [{ ...edge, target_ref: 'e_01kkcefqj9vqmc4trbyxcvbfj7' }] }],
    ['an empty name', { nodes: [...nodes, { name: ' ' }], edges: [] }],
    ['a fact that is too long', { nodes, edges: [{ ...edge, fact: 'x'.repeat(2001) }] }],
  ];
  for (const [what, extraction] of wrong)
    for (const content of ['I live in Lyon.', 'I live in Lyon. '.repeat(300)])
      it(`K-02 with ${what} is refused at once, and nothing is accepted: a text of ${content.length} characters`, () =>
        withVault({}, (vault) =>
          withServer(
            vault,
            async (session) => {
              const input = { group_id: 'g', messages: [said('I -[LIKES]-> Tea: Nora likes tea.'), said(content, { extraction })] };
              expect(['INVALID_ARGUMENT', 'LIMIT_EXCEEDED']).toContain(await refused(session, 'add_messages', input));
              expect(vault.files()).toEqual([]);
              const right = await ok(session, 'add_messages', {
                group_id: 'g',
                messages: [said(content, { extraction: { nodes, edges: [edge] } })],
              });
              // A long text may still be waiting when its call is answered.
              const read =
                right.read ?? (await waitFor(async () => (await ok(session, 'get_receipt', { receipt_id: right.receipt_id })).read));
              expect(read).toMatchObject({ facts: 1 });
            },
            FLAGS,
          ),
        ));

  it('K-02 is described where it is taken, with an example that can be sent as it is', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const { tools } = await session.client.listTools();
          const schema = JSON.stringify(tools.find(({ name }) => name === 'kg_add_messages')?.inputSchema);
          const { properties } = JSON.parse(schema).properties.input.properties.messages.items;
          const example = JSON.parse(properties.extraction.description.split('Example: ')[1]);
          const answer = await ok(session, 'add_messages', { group_id: 'g', messages: [said('Hello.', { extraction: example })] });
          expect(answer.read).toMatchObject({ facts: 1 });
        },
        FLAGS,
      ),
    ));

  it('A-18 instructions and a prompt say how the memory is used', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          expect(session.client.getInstructions()).toContain('kg_add_messages');
          const { messages } = await session.client.getPrompt({ name: 'use_memory', arguments: { group: 'nora' } });
          expect(JSON.stringify(messages)).toMatch(/group \\"nora\\".*Add\..*Ask\..*Correct\..*The past\./s);
        },
        FLAGS,
      ),
    ));
});
