import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { find, ingest, ok } from '../knowledge/kg.ts';

const ALL = { flags: ['--toolsets', 'all'] };
const CONFIRMED = { by: 'human:ana', at: '2020-01-02T03:04:05.000Z' };
const VERIFIED = `verified: [{by: ${CONFIRMED.by}, at: ${CONFIRMED.at}}]`;
/** A number of days; the day may end while the test runs. */
const daysSince = (time: string): unknown => expect.closeTo((Date.now() - Date.parse(time)) / 86_400_000, -1);

/** A day that has come, one that has not, and notes with each. */
const NOTES = {
  'plain.md': '---\nupdated: 2021-05-06T00:00:00Z\n---\nTea is hot, not [[stale]].\n',
  'stale.md': `---\n${VERIFIED}\nstale_after: 2026-01-31\n---\nTea is cold.\n`,
  'fresh.md': `---\n${VERIFIED}\nstale_after: 2999-01-31\n---\nTea is warm.\n`,
  'odd.md': '---\nverified: yes\nstale_after: 2026\n---\nTea is odd.\n',
};

it('K-18 get_node and the hits of search say how old each note is, who confirmed it, and that it is stale; ranks stay', () =>
  withVault(NOTES, (vault) =>
    withServer(vault, async ({ ask }) => {
      const freshnessOf = ({ _age_days: age, _confirmed: confirmed, _stale: stale }: Record<string, unknown>) => ({
        age,
        confirmed,
        stale,
      });
      const expected: Record<string, unknown> = {
        'plain.md': { age: daysSince('2021-05-06T00:00:00Z'), confirmed: undefined, stale: undefined },
        'stale.md': { age: daysSince(CONFIRMED.at), confirmed: CONFIRMED, stale: 'since 2026-01-31' },
        'fresh.md': { age: daysSince(CONFIRMED.at), confirmed: CONFIRMED, stale: undefined },
        'odd.md': { age: 0, confirmed: undefined, stale: undefined },
      };
      const hits: readonly Record<string, unknown>[] = await ask('search', { query: 'tea', mode: 'keyword' });
      expect(Object.fromEntries(hits.map((hit) => [hit['path'], freshnessOf(hit)]))).toEqual(expected);
      for (const path of Object.keys(NOTES)) {
        expect(freshnessOf(await ask('get_node', { id: path })), path).toEqual(expected[path]);
        expect(freshnessOf(await ask('get_node', { id: path, outline: true })), path).toEqual(expected[path]);
      }
      const listed = await ask('get_neighbors', { id: 'plain' });
      const { nodes: read } = await ask('get_nodes', { ids: Object.keys(NOTES) });
      const staleIn = (notes: readonly Record<string, unknown>[]) =>
        notes.flatMap(({ id, _stale: stale }) => (stale === undefined ? [] : [[id, stale]]));
      expect([staleIn(listed), staleIn(read)]).toEqual([[['stale.md', 'since 2026-01-31']], [['stale.md', 'since 2026-01-31']]]);
      const { properties } = await ask('get_node', { id: 'stale' });
      expect(properties).toEqual({ verified: [CONFIRMED], stale_after: '2026-01-31' });
      expect((await cli(['search', 'tea', '--vault', vault.root])).stdout.match(/^ {2}stale since 2026-01-31$/gm)).toHaveLength(1);
    }),
  ));

it('K-18 the memory tools say what is stale beside their answer, which is that of the reference server, and nothing where nothing is', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask, call }) => {
      const entities = [
        { name: 'Ana', entityType: 'person', observations: ['likes tea', 'is in Oslo'] },
        { name: 'Ben', entityType: 'person', observations: ['likes tea'] },
      ];
      await ask('create_entities', { entities });
      const open = async () => call('open_nodes', { names: ['Ana', 'Ben'] });
      const before = await open();
      await ask('confirm', { node: 'Ana', observations: ['is in Oslo'], stale_after: '2999-01-31' });
      expect((await open()).texts).toEqual(before.texts);
      await ask('confirm', { node: 'Ana', observations: ['is in Oslo'], stale_after: '2020-01-31' });
      await ask('confirm', { node: 'Ben', stale_after: '2020-02-01' });
      const after = await open();
      expect(after.structured).toEqual(before.structured);
      expect(after.texts[0]).toBe(before.texts[0]);
      const [stale] = (JSON.parse(after.texts[1] ?? '') as { readonly _warnings: readonly string[] })._warnings;
      expect(stale?.replace(/\d{4}-\d\d-\d\d by/g, 'DAY by')).toBe(
        'Stale: "is in Oslo" of "Ana" since 2020-01-31 (confirmed DAY by agent/roux-test); "Ben" since 2020-02-01 (confirmed DAY by agent/roux-test). Check it before you rely on it; confirm renews what still holds.',
      );
      expect((await call('search_nodes', { query: 'Oslo' })).texts.join()).toContain('since 2020-01-31');
      expect((await call('open_nodes', { names: ['Ana'], observations_offset: 1 })).texts.join()).toContain('since 2020-01-31');
    }),
  ));

it('K-18 facts say how old they are, who confirmed them, and that they are stale', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const item = { source: 'text', body: 'The bin goes out on Tuesdays. Rosa has the key.', reference_time: '2026-01-01T00:00:00Z' };
        await ingest(session, 'home', [item]);
        const [{ uuid, ...said }] = await find(session, 'home', 'bin Tuesdays');
        expect(said).toMatchObject({ _age_days: daysSince('2026-01-01T00:00:00Z') });
        expect(said).not.toHaveProperty('_confirmed');
        const { by, at } = await session.ask('confirm', { facts: [uuid], stale_after: '2026-02-01' });
        const marked = { uuid, _age_days: 0, _confirmed: { by, at }, _stale: 'since 2026-02-01' };
        expect((await find(session, 'home', 'bin Tuesdays'))[0]).toMatchObject(marked);
        expect(await ok(session, 'get_entity_edge', { uuid })).toMatchObject(marked);
        const messages = [{ role_type: 'user', content: 'When does the bin go out, on Tuesdays?' }];
        expect((await ok(session, 'get_memory', { group_id: 'home', max_facts: 5, messages })).facts[0]).toMatchObject(marked);
        expect((await cli(['facts', 'bin Tuesdays', '--vault', vault.root])).stdout).toContain('(stale since 2026-02-01)');
      },
      ALL,
    ),
  ));

it('K-18 roux review --stale lists what is past its day, the longest first, and vault_health names it', () =>
  withVault(NOTES, async (vault) => {
    const review = (...args: readonly string[]) => cli(['review', '--stale', ...args, '--vault', vault.root]);
    await withServer(
      vault,
      async (session) => {
        await session.ask('create_entities', {
          entities: [{ name: 'Ana', entityType: 'person', observations: ['is in Oslo', 'likes tea'] }],
        });
        await session.ask('confirm', { node: 'Ana', observations: ['is in Oslo'], stale_after: '2020-01-31' });
        await ingest(session, 'home', [{ source: 'text', body: 'The bin goes out on Tuesdays.', reference_time: '2026-01-01T00:00:00Z' }]);
        const [{ uuid }] = await find(session, 'home', 'bin');
        const { by, at } = await session.ask('confirm', { facts: [uuid], stale_after: '2026-02-01' });
        const { stale } = JSON.parse((await review('--json')).stdout);
        const path = expect.stringMatching(/^knowledge\/home\/episodes\//);
        const confirmed = { by, at: expect.any(String) };
        expect(stale).toEqual([
          { kind: 'observation', path: 'memory/person/ana.md', text: 'is in Oslo', stale_after: '2020-01-31', confirmed },
          { kind: 'note', path: 'stale.md', text: 'stale', stale_after: '2026-01-31', confirmed: CONFIRMED, confirmed_by_person: true },
          { kind: 'fact', path, text: 'The bin goes out on Tuesdays.', uuid, stale_after: '2026-02-01', confirmed: { by, at } },
        ]);
        const { findings, counts } = await session.ask('vault_health', { kinds: ['stale'] });
        expect(counts.stale).toBe(1);
        expect(findings).toEqual([
          {
            kind: 'stale',
            paths: ['memory/person/ana.md', 'stale.md', path],
            message: expect.stringMatching(/^stale: memory\/person\/ana\.md since 2020-01-31, stale\.md since 2026-01-31, /),
          },
        ]);
      },
      ALL,
    );
    const shown = await review();
    expect(shown).toMatchObject({ status: 0, stderr: expect.stringContaining('roux confirm <note> --until DATE') });
    expect(shown.stdout).toContain('2026-01-31  stale.md  confirmed 2020-01-02 by human:ana\n');
    expect(shown.stdout).toContain('  observation is in Oslo\n');
    expect(await cli(['review', '--stale', '--accept', '--vault', vault.root])).toMatchObject({ status: 2 });
  }));

it('K-18 where nothing is stale, the review says so', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    const args = ['review', '--stale', '--vault', vault.root];
    expect(await cli(args)).toMatchObject({ status: 0, stdout: '', stderr: 'Nothing is stale.\n' });
    expect((await cli([...args, '--json'])).stdout).toBe('{"stale":[]}\n');
  }));

it('K-18 a vault cannot call itself fresh for ever: what is confirmed in the future is named, and counts for nothing', () =>
  withVault(
    {
      'future.md': '---\nupdated: 2999-01-01\nverified: {by: human:ana, at: 2099-01-01T00:00:00Z}\n---\nTea is green.\n',
      'both.md': `---\nverified: [{by: human:eve, at: 2099-01-01T00:00:00Z}, {by: ${CONFIRMED.by}, at: ${CONFIRMED.at}}]\n---\nTea is blue.\n`,
    },
    async (vault) => {
      const at = '2099-01-01T00:00:00.000Z';
      let statement = '';
      await withServer(
        vault,
        async (session) => {
          const { ask, call } = session;
          expect(await ask('get_node', { id: 'future' })).toMatchObject({ _age_days: 0, _misdated: { by: 'human:ana', at } });
          expect(await ask('get_node', { id: 'future' })).not.toHaveProperty('_confirmed');
          expect(await ask('get_node', { id: 'both' })).toMatchObject({
            _age_days: daysSince(CONFIRMED.at),
            _confirmed: CONFIRMED,
            _misdated: { by: 'human:eve', at },
          });
          await ask('create_entities', { entities: [{ name: 'Ana', entityType: 'person', observations: ['is in Oslo'] }] });
          await ask('confirm', { node: 'Ana', observations: ['is in Oslo'] });
          await ingest(session, 'home', [
            { source: 'text', body: 'The bin goes out on Tuesdays.', reference_time: '2026-01-01T00:00:00Z' },
          ]);
          const [{ uuid }] = await find(session, 'home', 'bin');
          await ask('confirm', { facts: [uuid] });
          statement = uuid;
          for (const path of vault.files().filter((each) => /^(?:memory|knowledge)\//.test(each)))
            vault.write(path, vault.read(path).replace(/\b(at: )"?20\d\d-\d\d-\d\dT[\d:.]+Z"?/g, '$12099-01-01T00:00:00.000Z'));
          await waitFor(async () => (await find(session, 'home', 'bin'))[0]._misdated?.at === at);
          expect((await find(session, 'home', 'bin'))[0]).not.toHaveProperty('_confirmed');
          expect((await call('open_nodes', { names: ['Ana'] })).texts.join()).toContain(
            'confirmed 2099-01-01 by agent/roux-test, in the future',
          );
          const { findings } = await ask('vault_health', { kinds: ['stale'] });
          expect(findings[0].message).toContain('future.md confirmed in the future (2099-01-01), which counts for nothing');
        },
        ALL,
      );
      const review = ['review', '--stale', '--vault', vault.root];
      const { stale } = JSON.parse((await cli([...review, '--json'])).stdout) as { readonly stale: readonly Record<string, unknown>[] };
      expect(stale.map(({ kind, path, uuid, misdated }) => [kind, uuid ?? path, misdated])).toEqual([
        ['note', 'both.md', { by: 'human:eve', at }],
        ['note', 'future.md', { by: 'human:ana', at }],
        ['fact', statement, { by: 'agent/roux-test', at }],
        ['observation', 'memory/person/ana.md', { by: 'agent/roux-test', at }],
      ]);
      expect((await cli(review)).stdout).toContain(
        '  confirmed 2099-01-01 by human:ana: that day has not come, so it counts for nothing\n',
      );
    },
  ));
