import { expect, it } from 'vitest';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { ask, ok } from '../kg.ts';
import type { Json } from '../kg.ts';

it('K-09 kg_get_episodes keeps the newest where not all fit, reads on before an episode, and reads one by its uuid', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const messages = Array.from({ length: 30 }, (_, n) => ({
          uuid: `m${n}`,
          role_type: 'user',
          content: `Number ${n}. ${'It was a long day. '.repeat(140)}`,
          timestamp: '2026-01-05T10:00:00Z',
        }));
        await ok(session, 'add_messages', { group_id: 'g', messages });
        const seen: string[] = [];
        let before: string | undefined;
        for (let page = 0; page < 10; page += 1) {
          const answer = await ok(session, 'get_episodes', { group_id: 'g', last_n: 30, ...(before === undefined ? {} : { before }) });
          const uuids = answer.episodes.map(({ uuid }: Json) => uuid);
          expect(uuids.length).toBeGreaterThan(0);
          seen.unshift(...uuids);
          before = uuids[0];
          if (answer.omitted === undefined) break;
          expect(answer).toMatchObject({ omitted: 30 - seen.length, read_on: `pass before: "${before}"` });
        }
        expect(seen).toEqual(messages.map(({ uuid }) => uuid));
        expect((await ok(session, 'get_episodes', { group_id: 'g', uuid: 'm7' })).episodes).toMatchObject([{ uuid: 'm7' }]);
        expect((await ask(session, 'get_episodes', { group_id: 'g' })).error?.message).toContain('last_n');
        for (const more of [{ uuid: 'nobody' }, { before: 'nobody' }])
          expect((await ask(session, 'get_episodes', { group_id: 'g', last_n: 5, ...more })).error?.error_code).toBe('NOT_FOUND');
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  ));

it('K-09 facts are read on with offset, and an answer that does not fit says where', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const messages = Array.from({ length: 100 }, (_, n) => ({
          uuid: `m${n}`,
          role_type: 'user',
          content: `Apples, number ${n}. ${'It was a long day. '.repeat(29)}`,
          timestamp: '2026-01-05T10:00:00Z',
        }));
        await ok(session, 'add_messages', { group_id: 'g', messages });
        const query = { group_ids: ['g'], query: 'apples number' };
        const seen: string[] = [];
        const read = async (more: object): Promise<Json> => {
          const answer = await ok(session, 'search_facts', { ...query, ...more, offset: seen.length });
          seen.push(...answer.facts.map(({ uuid }: Json) => uuid));
          return answer;
        };
        const first = await read({ max_facts: 100 });
        expect(seen.length).toBeLessThan(100);
        expect(first).toMatchObject({ omitted: 100 - seen.length, read_on: `pass offset: ${seen.length}` });
        while ((await read({ max_facts: 30 })).facts.length > 0);
        expect(new Set(seen).size).toBe(100);
        expect(seen).toHaveLength(100);
        const memory = { group_id: 'g', messages: [{ role_type: 'user', content: 'apples number' }], max_facts: 5, offset: 5 };
        expect((await ok(session, 'get_memory', memory)).facts.map(({ uuid }: Json) => uuid)).toHaveLength(5);
        for (const offset of [-1, 1.5, 1001])
          expect((await ask(session, 'search_facts', { ...query, offset })).error?.message).toContain('offset');
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  ));

it('K-09 a fact says by its uuid who said it, when, in which episode and in which words, whoever extracted it', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const said = { role_type: 'user', role: 'Nora', timestamp: '2026-01-05T10:00:00Z' };
        const extraction = {
          nodes: [
            { tmp_ref: 'n', name: 'Nora' },
            { tmp_ref: 'l', name: 'Lyon' },
          ],
          edges: [{ name: 'LIVES_IN', fact: 'Nora lives in Lyon', source_ref: 'n', target_ref: 'l' }],
        };
        const messages = [
          { ...said, uuid: 'm1', content: 'Good news! Since May I live in Lyon, Nora said.', extraction },
          { ...said, uuid: 'm2', content: 'Emil -[REPAIRS]-> Violins: Emil repairs violins.' },
          { ...said, uuid: 'm3', role: undefined, role_type: 'assistant', content: 'You asked about the cellar before.' },
        ];
        await ok(session, 'add_messages', { group_id: 'g', messages });
        const originOf = async (query: string): Promise<Json> => {
          const { facts } = await ok(session, 'search_facts', { group_ids: ['g'], query, max_facts: 1 });
          return (await ok(session, 'get_entity_edge', { uuid: facts[0].uuid })).origins;
        };
        const at = { said_at: '2026-01-05T10:00:00.000Z', stored_by: expect.any(String) };
        expect(await originOf('Lyon')).toEqual([
          { episode: 'm1', ...at, said_by: 'Nora', sentence: 'Good news! Since May I live in Lyon, Nora said.' },
        ]);
        expect(await originOf('violins')).toEqual([
          { episode: 'm2', ...at, said_by: 'Nora', sentence: 'Emil -[REPAIRS]-> Violins: Emil repairs violins.' },
        ]);
        expect(await originOf('cellar')).toEqual([
          { episode: 'm3', ...at, said_by: 'assistant', sentence: 'You asked about the cellar before.' },
        ]);
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  ));
