import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { stating } from '../conformance/doors.ts';
import { find, ingest, ok } from '../kg.ts';
import type { Json } from '../kg.ts';

const FLAGS = ['--toolsets', 'all'];

describe('notes of the knowledge graph', () => {
  it('X-31 a note that a person put among the entities of a deleted group goes to the trash, and says so before', () =>
    withVault({ 'knowledge/g/entities/Diary.md': 'What nobody else has.\n' }, (vault) =>
      withServer(
        vault,
        async (session) => {
          await ingest(session, 'g', [stating([{ name: 'KNOWS', target: 'Bob', fact: 'Alice knows Bob.' }])]);
          const would = await ok(session, 'delete_group', { group_id: 'g', dry_run: true });
          expect(would).toMatchObject({ would_delete: { entities: 3, to_trash: 1 }, message: expect.stringContaining('to the trash') });
          expect((await ok(session, 'delete_group', { group_id: 'g' })).deleted).toEqual(would.would_delete);
          expect(vault.files()).toEqual([]);
          const { stdout } = await cli(['restore', '--vault', vault.root]);
          expect(stdout.trim().split('\n')).toEqual([expect.stringContaining('knowledge/g/entities/Diary.md')]);
          expect((await cli(['restore', 'knowledge/g/entities/Diary.md', '--vault', vault.root])).status).toBe(0);
          expect(vault.read('knowledge/g/entities/Diary.md')).toBe('What nobody else has.\n');
        },
        { flags: FLAGS },
      ),
    ));

  it('S3-42 fields that stand side by side without a space are fields', () =>
    withVault(
      {
        'knowledge/g/entities/alice.md':
          '---\ntype: entity\n---\n\n## Relations\n\n- WORKS_AT [[Acme]]: Alice works at Acme [valid_at:: 2090-01-01][invalid_at:: 2095-01-01][floor:: 2]\n',
        'Acme.md': 'A firm.\n',
      },
      (vault) =>
        withServer(
          vault,
          async (session) => {
            expect(await find(session, 'g', 'Alice')).toEqual([]);
            expect(await find(session, 'g', 'Alice', { as_of: { valid: '2092-01-01T00:00:00Z' } })).toMatchObject([
              { fact: 'Alice works at Acme', valid_at: '2090-01-01T00:00:00.000Z', invalid_at: '2095-01-01T00:00:00.000Z' },
            ]);
          },
          { flags: FLAGS },
        ),
    ));

  it('S3-06 a text with %% that nothing closes hides no other fact from a reader', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const texts = ['Sales grew 5%% in May', 'It is %%all%% fine', 'Alice knows Bob.'];
          for (const [at, fact] of texts.entries()) await ingest(session, 'g', [stating([{ name: 'SAID', target: `T${at}`, fact }])]);
          const lines = vault.read('knowledge/g/entities/alice.md').match(/^- SAID \[\[.*$/gm) ?? [];
          const shown = lines.map((line) => line.replace(/`[^`]*`/g, ''));
          expect(shown.map((line) => line.split('%%').length % 2)).toEqual([1, 1, 1]);
          expect(new Set((await find(session, 'g', 'Alice')).map(({ fact }: Json) => fact))).toEqual(new Set(texts));
        },
        { flags: FLAGS },
      ),
    ));

  it('S3-43 what a person wrote is known since it was seen, also after roux wrote into the same note', () =>
    withVault(
      { 'knowledge/g/entities/Alice.md': '---\ntype: entity\n---\n\n## Relations\n\n- LIKES [[Tea]]: Alice likes tea.\n' },
      (vault) =>
        withServer(
          vault,
          async (session) => {
            const [{ uuid, created_at: known }] = await find(session, 'g', 'tea');
            await ingest(session, 'g', [stating([{ name: 'KNOWS', target: 'Bob', fact: 'Alice knows Bob.' }])]);
            expect(await find(session, 'g', 'tea', { as_of: { known } })).toMatchObject([{ uuid, created_at: known }]);
            expect(vault.read('knowledge/g/entities/Alice.md')).toContain(`[created_at:: ${known}] ^${uuid}\n`);
          },
          { flags: FLAGS },
        ),
    ));

  it('S3-26 a repeat that brings another extraction is told that it was not used', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const first = { ...stating([{ name: 'KNOWS', target: 'Bob', fact: 'Alice knows Bob.' }]), uuid: 'one' };
          await ingest(session, 'g', [first]);
          const other = { ...first, extraction: { nodes: [], edges: [] } };
          const { texts } = await session.call('kg_add_episodes', { input: { group_id: 'g', items: [other] } });
          expect(texts[1]).toMatch(/one was accepted before, so the extraction .* was not used/);
          expect((await session.call('kg_add_episodes', { input: { group_id: 'g', items: [first] } })).texts).toHaveLength(1);
          expect(await find(session, 'g', 'Alice')).toHaveLength(1);
        },
        { flags: FLAGS },
      ),
    ));
});
