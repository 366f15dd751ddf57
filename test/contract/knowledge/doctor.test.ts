import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { find, ingest, ok } from './kg.ts';

const FLAGS = { flags: ['--toolsets', 'all'] };
const ALICE = 'knowledge/team/entities/alice.md';
const WORDS = 'Alice -[WORKS_AT]-> Acme: Alice works at Acme.\nAlice -[LIKES]-> Tea: Alice likes tea.\n';

async function withFacts(run: (vault: TestVault) => Promise<void>): Promise<void> {
  await withVault({ '.rouxrc.json': '{}' }, async (vault) => {
    await withServer(
      vault,
      (session) => ingest(session, 'team', [{ source: 'text', body: WORDS, reference_time: '2026-01-01T00:00:00Z' }]),
      FLAGS,
    );
    await run(vault);
  });
}

/** What doctor tells of the knowledge graph, and the agents' tool with it. */
async function told(vault: TestVault): Promise<readonly { kind: string; paths: string[]; message: string; fix?: string }[]> {
  const { stdout } = await cli(['doctor', vault.root, '--json']);
  const { findings } = JSON.parse(stdout);
  const health = await withServer(vault, ({ ask }) => ask('vault_health', {}), FLAGS);
  const places = (list: readonly { kind: string; paths: string[] }[]): string[][] => list.map(({ kind, paths }) => [kind, ...paths]);
  expect(places(health.findings)).toEqual(places(findings));
  return findings;
}

describe('doctor on the knowledge graph', () => {
  it('X-12 finds nothing where nothing is wrong: its entities are none that the memory tools miss', () =>
    withFacts(async (vault) => expect(await told(vault)).toEqual([])));

  it('X-32 names a fact line that no longer parses, with line and reason; the line stays as prose', () =>
    withFacts(async (vault) => {
      const broken = vault
        .read(ALICE)
        .replace('- LIKES [[tea|Tea]]', '- LIKES tea')
        .replace(/\[created_at:: [^\]]*\](?=.*WORKS|.*\^)/, '[created_at:: last week]');
      vault.write(ALICE, broken);
      const findings = await told(vault);
      expect(findings.map(({ kind, paths }) => [kind, ...paths])).toEqual([
        ['unreadable-line', ALICE],
        ['unreadable-line', ALICE],
      ]);
      const lines = broken.split('\n');
      const at = (word: string): number => lines.findIndex((line) => line.startsWith(`- ${word}`)) + 1;
      expect(findings.map(({ message }) => message).join('\n')).toMatch(new RegExp(`alice\\.md:${at('WORKS_AT')}: .*not a date`));
      expect(findings.map(({ message }) => message).join('\n')).toMatch(new RegExp(`alice\\.md:${at('LIKES')}: .*not a relation any more`));
      await withServer(vault, async (session) => expect(await find(session, 'team', 'Alice')).toEqual([]), FLAGS);
      expect(vault.read(ALICE)).toBe(broken);
    }));

  it('X-32 names an episode whose text was edited; tools answer it as it was accepted', () =>
    withFacts(async (vault) => {
      const [path = ''] = vault.files().filter((file) => file.includes('/episodes/'));
      vault.write(path, vault.read(path).replace('likes tea', 'hates tea'));
      const findings = await told(vault);
      expect(findings).toMatchObject([{ kind: 'episode', paths: [path], message: expect.stringMatching(/was edited/) }]);
      const { episodes } = await withServer(vault, (session) => ok(session, 'get_episodes', { group_id: 'team', last_n: 1 }), FLAGS);
      expect(episodes[0].body).toBe(WORDS);
    }));

  it('names two notes with one uuid in a group, and facts that lead nowhere', () =>
    withFacts(async (vault) => {
      const [, id = ''] = /^id: (\S+)$/m.exec(vault.read(ALICE)) ?? [];
      vault.write('knowledge/team/entities/alice-2.md', `---\nid: e_other\nuuid: ${id}\ntype: entity\ntitle: Alice Two\n---\n`);
      vault.remove('knowledge/team/entities/tea.md');
      const findings = await told(vault);
      expect(findings.map(({ kind }) => kind)).toEqual(['duplicate-id', 'unresolved-link', 'fact']);
      expect(findings[0]).toMatchObject({
        paths: [ALICE, 'knowledge/team/entities/alice-2.md'],
        message: expect.stringContaining(`uuid ${id} in the group team`),
      });
      expect(findings[2]).toMatchObject({
        paths: [ALICE],
        message: expect.stringMatching(/"Alice likes tea\." does not exist; create the note \[\[tea\]\]/),
      });
    }));

  it('S3-20 S3-23 names parked items with the reason, and items that came with the folder; both are tried when asked', () =>
    withFacts(async (vault) => {
      const item = { source: 'text', body: `P -[R]-> Q: ${'x'.repeat(2001)}`, reference_time: '2026-01-01T00:00:00Z' };
      await withServer(vault, (session) => ingest(session, 'team', [item]), FLAGS);
      const [done = ''] = vault.files().filter((file) => file.includes('acme') && file.includes('/episodes/'));
      // As a clone brings it: accepted, with a mark that somebody else made.
      const foreign = vault
        .read(done)
        .replace('state: completed', 'state: accepted')
        .replace(/mark: \S+/, `mark: ${'0'.repeat(32)}`);
      vault.write(
        'knowledge/shared/episodes/2026-01/foreign.md',
        foreign.replace('group_id: team', 'group_id: shared').replace(/^id: .*$/m, 'id: ep_foreign'),
      );
      const findings = await told(vault);
      expect(findings).toMatchObject([
        { kind: 'episode', paths: ['knowledge/shared/episodes/2026-01/foreign.md'], message: expect.stringMatching(/accepted elsewhere/) },
        { kind: 'episode', message: expect.stringMatching(/is parked \(TOO_LARGE: .*fact.*kg_retry_parked/) },
      ]);
      await withServer(
        vault,
        async (session) => {
          expect(await find(session, 'shared', 'Alice')).toEqual([]);
          expect((await ok(session, 'get_receipt', { group_id: 'shared' })).items).toMatchObject([{ state: 'accepted', foreign: true }]);
          expect((await ok(session, 'retry_parked', { group_id: 'shared' })).retried).toBe(1);
          await expect.poll(async () => (await find(session, 'shared', 'Alice')).length).toBe(2);
        },
        FLAGS,
      );
      expect((await told(vault)).map(({ message }) => message)).toEqual([expect.stringContaining('is parked')]);
    }));

  it('K-14 sees two current values of a relation that has one, which people wrote, and ends the earlier one on request', () =>
    withVault({ '.rouxrc.json': '{"knowledge": {"single": ["LIVES_IN"]}}' }, async (vault) => {
      await withServer(
        vault,
        (session) =>
          ingest(session, 'team', [
            { source: 'text', body: 'Nora -[LIVES_IN]-> Lyon: Nora lives in Lyon.', reference_time: '2026-01-01T00:00:00Z' },
          ]),
        FLAGS,
      );
      const nora = 'knowledge/team/entities/nora.md';
      vault.write('knowledge/team/entities/porto.md', '---\ntype: entity\ntitle: Porto\n---\n');
      vault.write(nora, `${vault.read(nora).trimEnd()}\n- LIVES_IN [[porto|Porto]]: Nora lives in Porto. [valid_at:: 2026-03-01]\n`);
      expect(await told(vault)).toMatchObject([
        {
          kind: 'fact',
          paths: [nora],
          message: expect.stringMatching(/2 current values of LIVES_IN.*Lyon.*Porto/),
          fix: expect.any(String),
        },
      ]);
      const { stdout } = await cli(['doctor', vault.root, '--fix']);
      expect(stdout).toContain('fixed fact');
      expect(await told(vault)).toEqual([]);
      await withServer(
        vault,
        async (session) => {
          expect((await find(session, 'team', 'Nora')).map(({ fact }) => fact)).toEqual(['Nora lives in Porto.']);
          const [lyon] = await find(session, 'team', 'Lyon', { as_of: { valid: '2026-02-01T00:00:00Z' } });
          expect(lyon).toMatchObject({ fact: 'Nora lives in Lyon.', invalid_at: '2026-03-01T00:00:00.000Z' });
        },
        FLAGS,
      );
    }));

  it('K-14 equal names in several groups are no finding', () =>
    withVault({}, async (vault) => {
      const item = { source: 'text', body: 'Nora -[LIKES]-> Tea: Nora likes tea.', reference_time: '2026-01-01T00:00:00Z' };
      await withServer(
        vault,
        async (session) => {
          for (const group of ['one', 'two', 'three']) await ingest(session, group, [item]);
        },
        FLAGS,
      );
      expect(await told(vault)).toEqual([]);
    }));
});
