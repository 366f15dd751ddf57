import { mkdirSync, symlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMemoryTool } from '../../../src/faces/memory-tool/memory-tool.ts';
import type { MemoryTool } from '../../../src/faces/memory-tool/memory-tool.ts';
import { filesInside } from '../../../src/ops/notes/memory-tool/memory-path.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { cli } from '../../support/program/cli.ts';
import { openTestHost } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault, VaultSource } from '../../support/vault.ts';

const inMemories = (source: VaultSource, run: (tool: MemoryTool, vault: TestVault) => Promise<void>): Promise<void> =>
  withVault(source, async (vault) => {
    const host = openTestHost(vault);
    try {
      await run(createMemoryTool(host), vault);
    } finally {
      await host.close();
    }
  });

it('O-05 an empty folder is one to every command', () =>
  inMemories({ 'memories/a.md': 'A\n' }, async (tool, vault) => {
    mkdirSync(vault.path('memories/empty'));
    const path = '/memories/empty';
    expect((await tool.view({ path })).split('\n').slice(1)).toEqual([`0B\t${path}`]);
    for (const [input, told] of [
      [{ command: 'create', path, file_text: '' }, 'already exists'],
      [{ command: 'rename', old_path: '/memories/a.md', new_path: path }, 'already exists'],
      [{ command: 'insert', path, insert_line: 0, insert_text: 'x' }, 'does not exist'],
      [{ command: 'delete', path }, 'is empty and cannot be deleted'],
      [{ command: 'rename', old_path: path, new_path: '/memories/other' }, 'is empty and cannot be renamed'],
    ] as const)
      expect(await tool.execute(input)).toMatchObject({ is_error: true, content: expect.stringContaining(told) });
    await tool.create({ path: `${path}/b.md`, file_text: 'B\n' });
    expect((await tool.view({ path })).split('\n').slice(1)).toEqual([`2B\t${path}`, `2B\t${path}/b.md`]);
  }));

it('O-05 a folder goes with its last file, and comes back with it; /memories stays', () =>
  inMemories({ 'memories/a/b/c.md': 'C\n', 'memories/a/d.txt': 'D\n' }, async (tool, vault) => {
    await tool.execute({ command: 'delete', path: '/memories/a/d.txt' });
    const { batch = '' } = await tool.execute({ command: 'delete', path: '/memories/a/b/c.md' });
    expect([vault.exists('memories/a'), vault.exists('memories')]).toEqual([false, true]);
    await tool.create({ path: '/memories/a', file_text: '' });
    await tool.delete({ path: '/memories/a' });
    expect((await cli(['undo', batch, '--vault', vault.root])).status).toBe(0);
    expect(vault.files()).toEqual(['memories/a/b/c.md']);
  }));

it('O-05 a folder is shown without the files to which links lead out of it, with the sizes of all others', () =>
  inMemories({ 'out.md': 'Not yours\n', 'memories/d/a.md': 'ABC\n', 'memories/d/b.txt': 'B\n' }, async (tool, vault) => {
    symlinkSync('../../out.md', vault.path('memories/d/out.md'));
    symlinkSync('a.md', vault.path('memories/d/same.md'));
    const [, total, ...files] = (await tool.view({ path: '/memories/d' })).split('\n');
    expect([total, ...files]).toEqual(['10B\t/memories/d', '4B\t/memories/d/a.md', '2B\t/memories/d/b.txt', '4B\t/memories/d/same.md']);
  }));

it('O-05 looking at many files lets other work run in between', async () => {
  const busyFor = (milliseconds: number): void => {
    for (const end = performance.now() + milliseconds; performance.now() < end;);
  };
  const notes = {
    realPath: (path: string) => {
      busyFor(1);
      return path;
    },
  } as Vault['notes'];
  let [turns, isDone] = [0, false];
  const others = (async () => {
    for (; !isDone; turns += 1) await setImmediate();
  })();
  const files = Array.from({ length: 100 }, (_, at) => `memories/${at}.md`);
  const found: string[] = [];
  for await (const file of filesInside({ notes }, files, 'memories')) found.push(file);
  isDone = true;
  await others;
  expect(found).toEqual(files);
  expect(turns).toBeGreaterThan(3);
});

it('O-05 a text that a line holds a million times is told by its lines', () =>
  inMemories({ 'memories/a.txt': `${'a'.repeat(500_000)}\n${'a'.repeat(400_000)}\n` }, async (tool) => {
    await expect(tool.str_replace({ path: '/memories/a.txt', old_str: 'a'.repeat(200_000), new_str: '' })).rejects.toThrow(
      /in lines: 1, 2\. /,
    );
  }));
