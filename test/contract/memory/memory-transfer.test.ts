import { describe, expect, it } from 'vitest';

import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const lines = [
  '{"type":"entity","name":"Alice","entityType":"person","observations":["likes tea","a\\nb"]}',
  'not json',
  '{"type":"entity","name":"err#boom","entityType":"Error","observations":[]}',
  '{"type":"weather","name":"rain"}',
  '{"type":"relation","from":"Alice","to":"err#boom","relationType":"saw"}',
];

describe('moving memory in and out', () => {
  it('S4-14 import takes what can be read, names the other lines, and a second one changes nothing', async () => {
    await withVault({ 'memory.jsonl': lines.join('\n') }, async (vault) => {
      const first = await cli(['import', vault.path('memory.jsonl'), '--vault', vault.root, '--json']);
      expect(first.status).toBe(1);
      expect(JSON.parse(first.stdout)).toMatchObject({
        entities: 2,
        relations: 1,
        problems: [expect.stringContaining('line 2'), expect.stringContaining('line 4')],
      });
      const files = vault.files();
      const second = await cli(['import', vault.path('memory.jsonl'), '--vault', vault.root, '--json']);
      expect(JSON.parse(second.stdout)).toMatchObject({ entities: 0, observations: 0, relations: 0 });
      expect(vault.files()).toEqual(files);
      await withServer(vault, async ({ ask }) => {
        expect((await ask('open_nodes', { names: ['Alice'] })).entities[0].observations).toEqual(['likes tea', 'a\nb']);
      });
    });
  });

  it('H-25 an import of which one entity cannot be written changes nothing, however many came before it, and is one write', async () => {
    const entity = (name: string, observation: string) =>
      JSON.stringify({ type: 'entity', name, entityType: 'thing', observations: [observation] });
    const names = Array.from({ length: 600 }, (_, n) => entity(`Thing ${n}`, 'small'));
    const tooLarge = entity('Too large', 'x'.repeat(10 * 1024 * 1024));
    await withVault({}, async (vault) => {
      const refused = await cli(['import', '-', '--vault', vault.root], { stdin: [...names, tooLarge].join('\n') });
      expect(refused.status).not.toBe(0);
      expect(refused.stderr).toContain('too-large.md');
      expect(vault.files()).toEqual([]);
      const relation = JSON.stringify({ type: 'relation', from: 'Thing 1', to: 'Thing 2', relationType: 'is beside' });
      await cli(['import', '-', '--vault', vault.root], { stdin: [...names.slice(0, 20), relation].join('\n') });
      expect(vault.files()).toHaveLength(20);
      expect((await cli(['undo', '--by', 'cli', '--vault', vault.root])).status).toBe(0);
      expect(vault.files()).toEqual([]);
    });
  });

  it('S4-14 an import adds to what is there: entities of one name are one, and a placeholder becomes the entity that it waited for', async () => {
    await withVault({}, async (vault) => {
      const before = [
        '{"type":"entity","name":"Alice","entityType":"person","observations":["likes tea"]}',
        '{"type":"relation","from":"Alice","to":"Bob","relationType":"knows"}',
        '{"type":"relation","from":"Bob","to":"Alice","relationType":"knows"}',
      ];
      await cli(['import', '-', '--vault', vault.root], { stdin: before.join('\n') });
      expect(vault.files()).toContain('memory/unknown/bob.md');
      const after = [
        '{"type":"entity","name":"Alice","entityType":"person","observations":["likes tea","is tall"]}',
        '{"type":"entity","name":"Bob","entityType":"person","observations":["is here"]}',
        '{"type":"entity","name":"Bob","entityType":"person","observations":["is here","has a dog"]}',
        '{"type":"relation","from":"Bob","to":"Alice","relationType":"knows"}',
        '{"type":"relation","from":"Alice","to":"Bob","relationType":"likes"}',
        '{"type":"relation","from":"Alice","to":"Bob","relationType":"likes"}',
      ];
      const done = await cli(['import', '-', '--vault', vault.root, '--json'], { stdin: after.join('\n') });
      expect(JSON.parse(done.stdout)).toMatchObject({ entities: 1, observations: 2, relations: 1, problems: [] });
      expect(vault.read('memory/person/alice.md')).toContain('- likes [[bob|Bob]]');
      await withServer(vault, async ({ ask }) => {
        const { entities, relations } = await ask('open_nodes', { names: ['Alice', 'Bob'] });
        expect(entities).toEqual([
          { name: 'Alice', entityType: 'person', observations: ['likes tea', 'is tall'] },
          { name: 'Bob', entityType: 'person', observations: ['is here', 'has a dog'] },
        ]);
        expect(relations).toEqual([
          { from: 'Alice', to: 'Bob', relationType: 'knows' },
          { from: 'Alice', to: 'Bob', relationType: 'likes' },
          { from: 'Bob', to: 'Alice', relationType: 'knows' },
        ]);
      });
    });
  });

  it('S4-14 export gives the lines of the other server back', async () => {
    await withVault({}, async (vault) => {
      const text = lines.filter((line) => line.includes('entity') || line.includes('relation')).join('\n');
      await cli(['import', '-', '--vault', vault.root], { stdin: text });
      const out = await cli(['export', '--vault', vault.root]);
      expect(
        out.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(text.split('\n').map((line) => JSON.parse(line) as unknown));
      const graphml = await cli(['export', '--vault', vault.root, '--format', 'graphml']);
      expect(graphml.stdout).toContain('<edge source="Alice" target="err#boom"><data key="relation">saw</data></edge>');
      expect((await cli(['export', '--vault', vault.root, '--format', 'csv'])).status).toBe(2);
    });
  });

  it('S4-18 roux key makes the same keys as the library', async () => {
    const made = await cli(['key', 'cmd', ' npm   test', '--cwd', '/repo', '--exit', '1', '--stderr', 'boom']);
    expect(made.stdout.trim()).toMatch(/^cmd#npm test#[0-9a-f]{8}$/);
    expect((await cli(['key', 'err', 'Cannot find module at 1.2.3'])).stdout.trim()).toBe('err#cannot find module at x.y.z');
    expect((await cli(['key', 'dep', 'ts-node', '--version', '10.9.2'])).stdout.trim()).toBe('dep#ts-node@10.9.2');
    expect((await cli(['key', 'fix', 'err#boom', '--strategy', '"pin"', '--changes', '["a.ts"]'])).stdout.trim()).toBe(
      'fix#err#boom#c143d608',
    );
    expect((await cli(['key', 'nonsense', 'x'])).status).toBe(2);
    expect((await cli(['key', 'run', 'x'])).status).toBe(2);
  });
});
