import { cpSync, linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, cliProcess } from '../../support/program/cli.ts';
import { eventsOf } from '../../support/history.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { isLong } from '../../support/effort.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { OLD_BATCH, withOutside } from '../with-outside.ts';

const month = new Date().toISOString().slice(0, 7);
const keysFile = `.roux/history/keys/${month}.jsonl`;

/** Copies roux's own folder of one vault into another, as a clone or a backup does. */
function carryOver(from: TestVault, to: TestVault): void {
  cpSync(from.path('.roux'), to.path('.roux'), { recursive: true });
}

function plantLink(vault: TestVault, path: string, target: string): void {
  mkdirSync(dirname(vault.path(path)), { recursive: true });
  symlinkSync(target, vault.path(path));
}

const readHistory = (vault: TestVault): string =>
  vault
    .list('.roux/history')
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => vault.read(`.roux/history/${name}`))
    .join('');

describe('keys that came with the folder', () => {
  const call = { title: 'Asked for', content: 'x', idempotency_key: 'k-1' };

  it('F46 a call that was never made here is carried out, though an answer to this very call lies there', () =>
    withVault({}, (elsewhere) =>
      withVault({}, async (vault) => {
        await withServer(elsewhere, ({ ask }) => ask('create_node', call));
        carryOver(elsewhere, vault);
        expect(vault.read(keysFile)).toContain('"k-1"');
        await withServer(vault, async ({ ask }) => {
          const made = await ask('create_node', call);
          expect(vault.read('asked-for.md')).toContain('x');
          // From now on the answer is its own.
          expect(await ask('create_node', call)).toEqual(made);
        });
      }),
    ));

  it('F46 marks that are made up are none', () =>
    withVault({}, (elsewhere) =>
      withVault({}, async (vault) => {
        await withServer(elsewhere, ({ ask }) => ask('create_node', call));
        const record = JSON.parse(elsewhere.read(keysFile).trim().split('\n').at(-1) ?? '') as { origin: { code: string } };
        const code = record.origin.code;
        const lines = [
          undefined,
          null,
          {},
          [],
          'x',
          { by: 'folder' },
          { by: 'secret', code: '' },
          { by: 'folder', code: `${code}00` },
          { by: 'x', code },
        ].map((origin) => `${JSON.stringify({ ...record, origin })}\n`);
        vault.write(keysFile, lines.join(''));
        await withServer(vault, ({ ask }) => ask('create_node', call));
        expect(vault.read('asked-for.md')).toContain('x');
      }),
    ));
});

describe('finished writes that came with the folder', () => {
  it('F46 are not undone, by batch or by agent, and nothing of them is lost or made', () =>
    withVault({ 'a.md': 'A\n' }, (elsewhere) =>
      withVault({ 'a.md': 'A\n' }, async (vault) => {
        await cli(['update', 'a', '--content', 'Theirs.', '--agent', 'eve', '--vault', elsewhere.root]);
        const [name = ''] = elsewhere.list('.roux/history/batches').filter((each) => each.endsWith('.json'));
        const batch = name.slice(0, 26);
        carryOver(elsewhere, vault);
        vault.write('a.md', elsewhere.read('a.md'));
        const text = vault.read('a.md');
        for (const args of [
          ['undo', batch],
          ['undo', '--by', 'eve'],
          ['undo', batch, '--dry-run'],
        ]) {
          const { status, stderr } = await cli([...args, '--vault', vault.root]);
          expect([status, stderr], args.join(' ')).toEqual([1, expect.stringContaining('was not written in this folder')]);
        }
        expect(vault.read('a.md')).toBe(text);
        expect(vault.files()).toEqual(['a.md']);
      }),
    ));
});

describe('trash that came with the folder', () => {
  it('F46 a batch or an entry that is a link is neither listed, restored from, nor pruned through', () =>
    withOutside({ 'a.md': 'A\n' }, async (vault, outside) => {
      outside.write('old/private.md', 'Private\n');
      plantLink(vault, `.roux/trash/${OLD_BATCH}`, outside.path('old'));
      plantLink(vault, '.roux/trash/01hzzzzzzzzzzzzzzzzzzzzzz1/private.md', outside.path('old/private.md'));
      plantLink(vault, '.roux/trash/01hzzzzzzzzzzzzzzzzzzzzzz2/old', outside.path('old'));
      vault.write('.roux/trash/01hzzzzzzzzzzzzzzzzzzzzzz3/due.md', 'Due\n');
      expect((await cli(['restore', '--vault', vault.root])).stdout).toBe('due.md  01hzzzzzzzzzzzzzzzzzzzzzz3/due.md\n');
      for (const reference of [OLD_BATCH, `${OLD_BATCH}/private.md`, '01hzzzzzzzzzzzzzzzzzzzzzz1', 'private', 'old/private.md'])
        expect((await cli(['restore', reference, '--vault', vault.root])).status, reference).toBe(1);
      // The first write of a process forgets what is too old.
      await withServer(vault, ({ ask }) => ask('create_node', { title: 'New', content: 'x' }), { env: { ROUX_TRASH_DAYS: '1' } });
      expect(vault.exists('.roux/trash/01hzzzzzzzzzzzzzzzzzzzzzz3')).toBe(false);
      expect(outside.read('old/private.md')).toBe('Private\n');
      expect(vault.files()).toEqual(['a.md', 'new.md']);
    }));

  it('F46 a note that was never removed is not put over one that is there, nor where tools may not write', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      for (const path of ['a.md', 'A.md', '.obsidian/app.json', '.git/config', 'node_modules/x.md', '.rouxrc.json'])
        vault.write(`.roux/trash/${OLD_BATCH}/${path}`, 'Planted\n');
      for (const reference of [`${OLD_BATCH}/.obsidian/app.json`, `${OLD_BATCH}/.git/config`, `${OLD_BATCH}/.rouxrc.json`])
        expect((await cli(['restore', reference, '--vault', vault.root])).status, reference).not.toBe(0);
      await cli(['restore', OLD_BATCH, '--vault', vault.root]);
      await cli(['restore', 'a', '--vault', vault.root]);
      expect(vault.read('a.md')).toBe('A\n');
      for (const path of ['.obsidian', '.git', 'node_modules', '.rouxrc.json']) expect(vault.exists(path), path).toBe(false);
    }));
});

describe('a history that came with the folder', () => {
  it('F46 FIFOs, devices, folders and loops in the place of segments are passed by', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      for (const folder of ['.roux/history', '.roux/history/keys']) {
        plantLink(vault, `${folder}/2026-01.jsonl`, '/dev/zero');
        plantLink(vault, `${folder}/2026-02.jsonl`, '/dev/full');
        plantLink(vault, `${folder}/2026-03.jsonl`, '2026-03.jsonl');
        mkdirSync(vault.path(`${folder}/2999-01.jsonl`));
        for (const name of [`${month}.jsonl`, '9999-12.jsonl']) spawnSync('mkfifo', [vault.path(`${folder}/${name}`)]);
      }
      await withMcp(vault, ({ ask }) => ask('update_node', { id: 'a', content: 'B', idempotency_key: 'k' }));
      const { status, stdout } = await cliProcess(['history', 'a', '--vault', vault.root]);
      expect([status, stdout]).toEqual([0, expect.stringContaining('edited by roux-test')]);
    }));

  it('F46 F55 lines that are very many, very long or no lines are passed by, and what is written is found again', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const event = {
        seq: 1,
        timestamp: '2026-01-01T00:00:00.000Z',
        node: 'b.md',
        path: 'b.md',
        agent: 'eve',
        action: 'updated',
        changes: [],
      };
      const line = JSON.stringify(event);
      const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
      vault.write(
        `.roux/history/${month}.jsonl`,
        `${`${line}\n`.repeat(isLong ? 150_000 : 40_000)}${'x'.repeat(5_000_000)}\n\u0000\n${deep}\n${line.slice(0, 30)}`,
      );
      await withServer(
        vault,
        async ({ ask }) => {
          await ask('update_node', { id: 'a', content: 'B' });
          // Another process appends more than one call could take at once.
          vault.write(`.roux/history/${month}-0003.jsonl`, `${line}\n`.repeat(150_000));
          await ask('update_node', { id: 'a', content: 'C' });
          expect((await ask('graph_history', { node_id: 'a' })).events).toHaveLength(2);
        },
        { flags: ['--toolsets', 'all'] },
      );
    }));

  it('F46 numbers that nobody counted to are none, and what is written afterwards is counted and told in its order', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const forged = [1e15, 999_999_999_999_998, 1.5, -7, 1e300].map((seq) => ({
        seq,
        timestamp: '2026-01-01T00:00:00.000Z',
        node: 'a.md',
        path: 'a.md',
        agent: 'forged',
        action: 'updated',
        changes: [],
      }));
      vault.write('.roux/history/2026-01.jsonl', forged.map((event) => `${JSON.stringify(event)}\n`).join(''));
      for (const value of [1, 2, 3]) await cli(['update', 'a', '--set', JSON.stringify({ x: value }), '--vault', vault.root]);
      const numbers = eventsOf(vault).flatMap(({ agent, seq }) => (agent === 'forged' ? [] : [seq]));
      expect(numbers).toEqual([1, 2, 3]);
      const { stdout } = await cli(['history', 'a', '--limit', '1', '--json', '--vault', vault.root]);
      expect(JSON.parse(stdout)).toMatchObject({ events: [{ changes: [{ field: 'x', before: 2, after: 3 }] }] });
    }));

  it('F46 control characters of forged events do not reach the terminal', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const red = '\u001b[31m';
      const forged = {
        seq: 1,
        timestamp: '2026-01-01T00:00:00.000Z',
        node: red,
        path: 'a.md',
        agent: red,
        action: 'updated',
        changes: [{ field: red, before: red, after: red }],
      };
      // In other places they make the line none.
      const none = [{ timestamp: red }, { action: red }, { batch: red }, { path: red }];
      const lines = [forged, ...none.map((fields) => ({ ...forged, ...fields }))];
      vault.write(`.roux/history/${month}.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const { status, stdout } = await cli(['history', 'a', '--vault', vault.root]);
      expect([status, stdout.includes('\u001b'), stdout.match(/not written here/g)?.length]).toEqual([0, false, 1]);
    }));
});

describe('files of .roux that are other files too', () => {
  it('F46 a segment with a second name elsewhere is read, and never written', () =>
    withOutside({ 'a.md': 'A\n' }, async (vault, outside) => {
      for (const name of ['history', 'keys', 'batch', 'cache', 'ticket', 'token']) outside.write(name, `${name}\n`);
      const places: Readonly<Record<string, string>> = {
        [`.roux/history/${month}.jsonl`]: 'history',
        [keysFile]: 'keys',
        [`.roux/history/batches/${OLD_BATCH}.json`]: 'batch',
        '.roux/cache/notes': 'cache',
        '.roux/lock/7': 'ticket',
        '.roux/lock/6.free': 'ticket',
      };
      for (const [path, name] of Object.entries(places)) {
        mkdirSync(dirname(vault.path(path)), { recursive: true });
        linkSync(outside.path(name), vault.path(path));
      }
      const look = (): unknown =>
        outside.list('').map((name) => [name, outside.read(name), statSync(outside.path(name), { bigint: true }).mtimeNs]);
      const before = look();
      for (let round = 0; round < 2; round++)
        await withServer(vault, ({ ask }) => ask('update_node', { id: 'a', content: `Round ${round}`, idempotency_key: `k-${round}` }));
      await cli(['undo', OLD_BATCH, '--vault', vault.root]);
      expect(look()).toEqual(before);
      expect(readHistory(vault)).toContain('"updated"');
      expect((await cli(['history', 'a', '--vault', vault.root])).stdout.match(/edited by roux-test/g)).toHaveLength(2);
    }));
});
