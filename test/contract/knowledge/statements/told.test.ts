import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import type { McpSession } from '../../../support/program/mcp-client.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { ask, find, ingest, ok } from '../kg.ts';
import type { Json } from '../kg.ts';
import { MESSAGES, QUESTIONS, TEXTS } from './told.ts';

const OPTIONS = { flags: ['--toolsets', 'knowledge'] };
const withKnowledge = (run: (session: McpSession, vault: TestVault) => Promise<void>): Promise<void> =>
  withVault({}, (vault) => withServer(vault, (session) => run(session, vault), OPTIONS));

const say = (session: McpSession, group: string, content: string, timestamp: string, more: object = {}) =>
  ok(session, 'add_messages', { group_id: group, messages: [{ role_type: 'user', role: 'Nora', content, timestamp, ...more }] });
const texts = (facts: readonly Json[]): string[] => facts.map(({ fact }) => fact);

describe('what was told', () => {
  it('K-01 sentences that nobody marked are remembered word for word, and answer questions in other words', () =>
    withKnowledge(async (session) => {
      const messages = MESSAGES.map(([day, content], minute) => ({
        role_type: 'user',
        role: 'Nora',
        content,
        timestamp: new Date(Date.parse(day) + minute * 60_000).toISOString(),
      }));
      await ok(session, 'add_messages', { group_id: 'life', messages });
      const items = TEXTS.map(([day, body]) => ({ source: 'text', body, reference_time: `${day}T12:00:00Z` }));
      await ok(session, 'add_episodes', { group_id: 'life', items });
      for (const { content, timestamp } of messages) {
        const [first] = await find(session, 'life', content, { max_facts: 1 });
        expect(first).toMatchObject({ name: 'SAID', fact: content, source_node_name: 'Nora', valid_at: timestamp });
      }
      for (const [, body] of TEXTS) {
        const found = texts(await find(session, 'life', body, { max_facts: 10 }));
        for (const sentence of body.split(/(?<=\.) (?=[A-Z])(?<!(?:Mr|Mrs|Ms|Dr)\. )/))
          expect(
            found.some((fact) => fact.includes(sentence)),
            sentence,
          ).toBe(true);
      }
      const missed: string[] = [];
      for (const [query, answer] of QUESTIONS) {
        const found = texts(await find(session, 'life', query, { max_facts: 3 }));
        if (!found.some((fact) => fact.includes(answer))) missed.push(`${query} ${found.join(' | ')}`);
      }
      expect(QUESTIONS.length - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(14);
    }));

  it('K-01 at the terminal they say who said it, when and where', () =>
    withKnowledge(async (session, vault) => {
      await say(session, 'g', "I can't eat hazelnuts.", '2026-01-05T10:00:00Z');
      await ok(session, 'add_episodes', {
        group_id: 'g',
        items: [{ source: 'text', name: 'Pantry', body: 'Hazelnuts are on the top shelf.', reference_time: '2026-01-06T10:00:00Z' }],
      });
      const { stdout, stderr } = await cli(['facts', 'hazelnuts', '--vault', vault.root]);
      expect(stdout).toMatch(/^I can't eat hazelnuts\.\n  said by Nora 2026-01-05 10:00, in \S+, ep_/m);
      expect(stdout).toMatch(/^Hazelnuts are on the top shelf\.\n  said 2026-01-06 10:00, in Pantry, ep_/m);
      expect(stderr).not.toContain('embedded so far');
    }));

  it('K-01 they are not written a second time, and are the same after a restart', () =>
    withVault({}, async (vault) => {
      const before = await withServer(
        vault,
        async (session) => {
          await say(session, 'g', "I can't eat hazelnuts. They make me ill.", '2026-01-05T10:00:00Z');
          return find(session, 'g', 'hazelnuts');
        },
        OPTIONS,
      );
      expect(texts(before)).toEqual(["I can't eat hazelnuts. They make me ill."]);
      const notes = readdirSync(vault.root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
      const withWord = notes.filter((file) => vault.read(file).includes('They make me ill'));
      expect(withWord).toHaveLength(1);
      await withServer(vault, async (session) => expect(await find(session, 'g', 'hazelnuts')).toEqual(before), OPTIONS);
    }));

  it('K-01 one is read, and deleted for good, by its uuid; the text of its episode stays', () =>
    withVault({}, async (vault) => {
      const uuid = await withServer(
        vault,
        async (session) => {
          await ingest(session, 'g', [
            {
              uuid: 'trip',
              source: 'text',
              body: 'The ferry leaves at noon. The cabin has a window.',
              reference_time: '2026-01-05T10:00:00Z',
            },
          ]);
          const [found] = await find(session, 'g', 'ferry');
          expect(await ok(session, 'get_entity_edge', { uuid: found.uuid })).toEqual({
            ...found,
            origins: [
              {
                episode: 'trip',
                said_at: '2026-01-05T10:00:00.000Z',
                stored_by: expect.any(String),
                sentence: 'The ferry leaves at noon.',
              },
            ],
          });
          expect(found).toMatchObject({ source_node_uuid: 'trip', target_node_uuid: 'trip', episodes: ['trip'] });
          expect(await ok(session, 'delete_entity_edge', { uuid: found.uuid })).toMatchObject({ message: 'Fact deleted.' });
          expect((await ask(session, 'get_entity_edge', { uuid: found.uuid })).error?.error_code).toBe('NOT_FOUND');
          return found.uuid;
        },
        OPTIONS,
      );
      await withServer(
        vault,
        async (session) => {
          expect(texts(await find(session, 'g', 'ferry cabin'))).toEqual(['The cabin has a window.']);
          expect(await ok(session, 'delete_entity_edge', { uuid })).toMatchObject({ message: 'There was no such fact.' });
          const { episodes } = await ok(session, 'get_episodes', { group_id: 'g', last_n: 1 });
          expect(episodes[0].body).toBe('The ferry leaves at noon. The cabin has a window.');
        },
        OPTIONS,
      );
    }));

  it('K-01 a supplied extraction gives no statements, a fact of the rules replaces its line, and a parked item gives none until it is retried', () =>
    withKnowledge(async (session) => {
      const at = '2026-01-05T10:00:00Z';
      const nodes = [
        { tmp_ref: 'a', name: 'Ada' },
        { tmp_ref: 'b', name: 'Basel' },
      ];
      const edges = [{ name: 'VISITED', fact: 'Ada was in Basel', source_ref: 'a', target_ref: 'b' }];
      await ingest(session, 'supplied', [
        { source: 'text', body: 'Ada went to Basel by train.', reference_time: at, extraction: { nodes, edges } },
      ]);
      expect(texts(await find(session, 'supplied', 'Ada Basel train'))).toEqual(['Ada was in Basel']);
      await ingest(session, 'rules', [
        { source: 'text', body: 'Ada -[LIVES_IN]-> Basel: Ada lives in Basel.\nShe likes the river there.', reference_time: at },
      ]);
      const found = await find(session, 'rules', 'Ada lives in Basel by the river');
      expect(found.map(({ name, fact }) => [name, fact])).toEqual([
        ['LIVES_IN', 'Ada lives in Basel.'],
        ['SAID', 'She likes the river there.'],
      ]);
    }));

  it('K-01 statements hold from when they were said, are known since they were accepted, never end, and go with their episode', () =>
    withKnowledge(async (session) => {
      const started = new Date().toISOString();
      await say(session, 'g', 'We live in a flat near the river.', '2025-01-05T10:00:00Z', { uuid: 'm1' });
      await say(session, 'g', 'Now we live in a house with a garden.', '2025-06-05T10:00:00Z', { uuid: 'm2' });
      expect(new Set((await find(session, 'g', 'where do we live')).map(({ episodes }) => episodes[0]))).toEqual(new Set(['m1', 'm2']));
      const then = await find(session, 'g', 'where do we live', { as_of: { valid: '2025-03-01T00:00:00Z' } });
      expect(then.map(({ episodes }) => episodes[0])).toEqual(['m1']);
      expect(await find(session, 'g', 'where do we live', { as_of: { known: started } })).toEqual([]);
      expect(await find(session, 'other', 'where do we live')).toEqual([]);
      await ok(session, 'delete_episode', { uuid: 'm1' });
      expect((await find(session, 'g', 'where do we live')).map(({ episodes }) => episodes[0])).toEqual(['m2']);
    }));

  it('K-01 bad input is kept as it was said: sentences of 100 KB, ten thousand of them, code, quotes, any script', () =>
    withKnowledge(async (session) => {
      const at = '2026-01-05T10:00:00Z';
      const long = `The list begins ${'and goes on '.repeat(8_000)}until it ends with a walrus.`;
      const many = Array.from({ length: 10_000 }, (_, n) => `Sentence ${n} is about number${n}.`).join(' ');
      const mixed = [
        '> Bob: I never eat cabbage!',
        '',
        '```js',
        'const pelican = 1;',
        'await fly(pelican);',
        '```',
        '| flamingo | pink |',
        '- [ ] feed the ibex [[../../etc/passwd]] <script>alert(1)</script>',
        '',
        '我对花生过敏。我住在柏林。',
        '',
        'Ich esse um 5.30 Uhr am 3. Mai mit Dr. Weiß eine Rübe. Danach schlafe ich.',
      ].join('\n');
      const items = [long, many, mixed].map((body, n) => ({ uuid: `bad-${n}`, source: 'text', body, reference_time: at }));
      expect((await ingest(session, 'g', items)).states).toEqual(['completed', 'completed', 'completed']);
      const first = async (query: string): Promise<string> => (await find(session, 'g', query, { max_facts: 1 }))[0]?.fact ?? '';
      expect(await first('walrus')).toMatch(/until it ends with a walrus\.$/);
      expect(await first('number7321')).toBe('Sentence 7321 is about number7321.');
      expect(await first('cabbage')).toBe('Bob: I never eat cabbage!');
      expect(await first('pelican')).toBe('```js\nconst pelican = 1;\nawait fly(pelican);\n```');
      expect(await first('flamingo')).toBe('| flamingo | pink |');
      expect(await first('ibex')).toBe('feed the ibex [[../../etc/passwd]] <script>alert(1)</script>');
      expect(await first('花生')).toBe('我对花生过敏。');
      expect(await first('Rübe')).toBe('Ich esse um 5.30 Uhr am 3. Mai mit Dr. Weiß eine Rübe.');
    }));
});
