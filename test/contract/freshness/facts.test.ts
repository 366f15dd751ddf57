import { expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { find, ingest, ok } from '../knowledge/kg.ts';

const FLAGS = ['--toolsets', 'all'];

const EPISODE = {
  source: 'text',
  body: 'Ana works at Acme.',
  reference_time: '2026-01-01T00:00:00Z',
  extraction: {
    nodes: [
      { tmp_ref: 'a', name: 'Ana' },
      { tmp_ref: 'b', name: 'Acme' },
    ],
    edges: [{ name: 'WORKS_AT', fact: 'Ana works at Acme.', source_ref: 'a', target_ref: 'b' }],
  },
};

it('K-18 a fact is confirmed on its line, by each actor once, the newest first, and stays the same fact', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        await ingest(session, 'team', [EPISODE]);
        const [{ uuid }] = await find(session, 'team', 'Ana');
        const path = 'knowledge/team/entities/ana.md';
        const line = () => /^- WORKS_AT .*$/m.exec(vault.read(path))?.[0] ?? '';
        const before = line();
        const first = await session.ask('confirm', { facts: [uuid], stale_after: '2999-01-31' });
        expect(first.confirmed).toEqual([{ path, fact: 'Ana works at Acme.', uuid, stale_after: '2999-01-31' }]);
        expect(line()).toBe(
          before.replace(' [episode::', ` [verified:: ${first.at} agent/roux-test] [stale_after:: 2999-01-31] [episode::`),
        );
        vault.write(path, vault.read(path).replace(' agent/roux-test]', ' agent/roux-test; 2026-11-01 human:ana]'));
        const again = await session.ask('confirm', { facts: [uuid], stale_after: null });
        expect(line()).toBe(
          before.replace(' [episode::', ` [verified:: ${again.at} agent/roux-test; 2026-11-01T00:00:00.000Z human:ana] [episode::`),
        );
        expect((await ok(session, 'get_entity_edge', { uuid })).fact).toBe('Ana works at Acme.');
        const whole = vault.read(path);
        const { isError, texts } = await session.call('confirm', { facts: [uuid, 'f-none'], node: 'ana' });
        expect([isError, texts.join()]).toEqual([true, expect.stringContaining('no fact f-none')]);
        expect(vault.read(path)).toBe(whole);
      },
      { flags: FLAGS },
    ),
  ));

it('K-18 a fact on a line that a person wrote is confirmed without stamps on the note; fields that cannot be read stay', () =>
  withVault(
    {
      'knowledge/team/entities/ana.md':
        '---\ntype: entity\n---\n\n## Relations\n\n- LIKES [[Tea]]: Ana likes tea. [verified:: maybe] [stale_after:: 2026]\n- HATES [[Rain]]\n- HATES [[Rain]]\n',
      'knowledge/team/entities/tea.md': '---\ntype: entity\n---\n',
      'knowledge/team/entities/rain.md': '---\ntype: entity\n---\n',
    },
    (vault) =>
      withServer(
        vault,
        async (session) => {
          const path = 'knowledge/team/entities/ana.md';
          const uuidOf = async (query: string): Promise<string> => (await find(session, 'team', query))[0].uuid as string;
          const [likes, hates] = [await uuidOf('likes tea'), await uuidOf('hates rain')];
          const { at } = await session.ask('confirm', { facts: [likes] });
          expect(vault.read(path)).toContain('---\ntype: entity\n---\n');
          expect(vault.read(path)).toContain('Ana likes tea. [verified:: maybe] [stale_after:: 2026] ');
          expect(vault.read(path)).toContain(` [verified:: ${at} agent/roux-test] ^${likes}\n`);
          expect((await session.call('confirm', { facts: [hates] })).texts.join()).toContain('two equal lines');
        },
        { flags: FLAGS },
      ),
  ));

it('K-18 what was said is confirmed in the note of its episode, and forgotten with the sentence', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        await ingest(session, 'home', [
          { source: 'text', body: 'The bin goes out on Tuesdays. Rosa has the key.', reference_time: '2026-01-01T00:00:00Z' },
        ]);
        const [said] = await find(session, 'home', 'bin Tuesdays');
        const { confirmed, at } = await session.ask('confirm', { facts: [said.uuid], stale_after: '2999-01-31' });
        expect(confirmed).toMatchObject([{ fact: 'The bin goes out on Tuesdays.', uuid: said.uuid }]);
        const { path } = confirmed[0];
        const key = `s-${String(said.uuid).split('.').at(-1) ?? ''}`;
        const info = (time: string) =>
          `statement_info:\n  ${key}:\n    verified:\n      - by: agent/roux-test\n        at: ${time}\n    stale_after: 2999-01-31\n`;
        expect(vault.read(path)).toContain(info(at));
        const again = await session.ask('confirm', { facts: [said.uuid] });
        expect(vault.read(path)).toContain(info(again.at));
        await ok(session, 'delete_entity_edge', { uuid: said.uuid });
        expect(vault.read(path)).not.toContain('statement_info');
      },
      { flags: FLAGS },
    ),
  ));

it('K-18 facts are confirmed whatever toolsets are offered', () =>
  withVault({}, async (vault) => {
    const uuid = await withServer(
      vault,
      async (session) => {
        await ingest(session, 'team', [EPISODE]);
        return (await find(session, 'team', 'Ana'))[0].uuid as string;
      },
      { flags: FLAGS },
    );
    await withServer(vault, async ({ ask }) => expect((await ask('confirm', { facts: [uuid] })).confirmed).toHaveLength(1));
  }));

it('K-18 the next start knows who confirmed a fact, and who confirmed what was said', () =>
  withVault({}, async (vault) => {
    const said = { source: 'text', body: 'The bin goes out on Tuesdays.', reference_time: '2026-01-01T00:00:00Z' };
    const confirmed = await withServer(
      vault,
      async (session) => {
        await ingest(session, 'team', [EPISODE, said]);
        const uuids = [(await find(session, 'team', 'Ana works'))[0].uuid, (await find(session, 'team', 'bin Tuesdays'))[0].uuid];
        return (await session.ask('confirm', { facts: uuids })) as { readonly by: string; readonly at: string };
      },
      { flags: FLAGS },
    );
    const { by, at } = confirmed;
    for (let start = 0; start < 2; start += 1)
      await withServer(
        vault,
        async (session) => {
          for (const query of ['Ana works', 'bin Tuesdays'])
            expect((await find(session, 'team', query))[0], query).toMatchObject({ _confirmed: { by, at } });
        },
        { flags: FLAGS },
      );
  }));
