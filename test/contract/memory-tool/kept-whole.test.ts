import { expect, it } from 'vitest';
import { createMemoryTool } from '../../../src/faces/memory-tool/memory-tool.ts';
import type { MemoryTool } from '../../../src/faces/memory-tool/memory-tool.ts';
import { openTestHost, withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault, VaultSource } from '../../support/vault.ts';

async function withTool(vault: TestVault, folder: string, run: (tool: MemoryTool) => Promise<void>): Promise<void> {
  const host = openTestHost(vault);
  try {
    await run(createMemoryTool(host, { folder }));
  } finally {
    await host.close();
  }
}

const inMemories = (source: VaultSource, run: (tool: MemoryTool, vault: TestVault) => Promise<void>): Promise<void> =>
  withVault(source, (vault) => withTool(vault, 'memories', (tool) => run(tool, vault)));

it('O-05 what is added to a file with the line ends of Windows has them too, in its middle and at its end', () =>
  inMemories({ 'memories/a.md': 'a\r\nb\r\nc', 'memories/b.txt': 'a\r\n', 'memories/mixed.txt': 'a\nb\r\n' }, async (tool, vault) => {
    await tool.str_replace({ path: '/memories/a.md', old_str: 'b', new_str: 'x\ny' });
    await tool.insert({ path: '/memories/a.md', insert_line: 4, insert_text: 'd\ne\n' });
    expect(vault.read('memories/a.md')).toBe('a\r\nx\r\ny\r\nc\r\nd\r\ne');
    await tool.str_replace({ path: '/memories/a.md', old_str: 'x\ny', new_str: 'x\r\nz' });
    expect(vault.read('memories/a.md')).toBe('a\r\nx\r\nz\r\nc\r\nd\r\ne');
    await tool.insert({ path: '/memories/b.txt', insert_line: 2, insert_text: 'b' });
    expect(vault.read('memories/b.txt')).toBe('a\r\n\r\nb');
    // Where the file has the other line ends, they stay.
    await tool.str_replace({ path: '/memories/mixed.txt', old_str: 'a\nb', new_str: 'a\nc\nb' });
    expect(vault.read('memories/mixed.txt')).toBe('a\nc\nb\r\n');
  }));

it('O-05 a text that no file can store is refused in the words of the tool', () =>
  inMemories({ 'memories/a.md': 'a\n' }, async (tool) => {
    const refused = 'contains half of a character (a lone surrogate), which no file can store; send whole characters.';
    for (const [input, content] of [
      [{ command: 'create', path: '/memories/b.md', file_text: 'b\ud83d' }, `Error: create: file_text ${refused}`],
      [{ command: 'str_replace', path: '/memories/a.md', old_str: 'a', new_str: '\ude00' }, `Error: str_replace: new_str ${refused}`],
      [{ command: '\ud83d', path: '/memories/a.md' }, `Error: command ${refused}`],
    ] as const)
      expect(await tool.execute(input)).toEqual({ content, is_error: true });
  }));

it('O-05 a byte-order mark stays the first character of a file', () =>
  inMemories({ 'memories/a.txt': '\uFEFFone\n', 'memories/b.md': '\uFEFF' }, async (tool, vault) => {
    await tool.insert({ path: '/memories/a.txt', insert_line: 0, insert_text: 'zero\n' });
    expect(vault.read('memories/a.txt')).toBe('\uFEFFzero\none\n');
    await tool.insert({ path: '/memories/b.md', insert_line: 0, insert_text: 'x' });
    expect(vault.read('memories/b.md')).toBe('\uFEFFx\n');
  }));

it('O-05 an edit does not make text of the properties of a note; removing them is one', () =>
  inMemories(
    { 'memories/a.md': '---\ntags: [x]\n---\nText\n', 'memories/b.md': '\uFEFF---\r\ntags: [x]\r\n---\r\n' },
    async (tool, vault) => {
      for (const path of ['/memories/a.md', '/memories/b.md'])
        await expect(tool.insert({ path, insert_line: 0, insert_text: '# Title\n' })).rejects.toThrow('have to stay between the two lines');
      await expect(tool.str_replace({ path: '/memories/a.md', old_str: '---\ntags', new_str: 'tags' })).rejects.toThrow('have to stay');
      expect([vault.read('memories/a.md'), vault.read('memories/b.md')]).toEqual([
        '---\ntags: [x]\n---\nText\n',
        '\uFEFF---\r\ntags: [x]\r\n---\r\n',
      ]);
      await tool.str_replace({ path: '/memories/a.md', old_str: '---\ntags: [x]\n---\n', new_str: '' });
      expect(vault.read('memories/a.md')).toBe('Text\n');
    },
  ));

it('O-05 a task and an entity do not leave their tools as a file that is no note', () =>
  withVault({}, async (vault) => {
    await withServer(vault, async ({ ask }) => {
      await ask('graph_open', { project: 'shed' });
      await ask('graph_plan', { project: 'shed', nodes: [{ ref: 'a', summary: 'Sand the boards' }] });
      await ask('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['Likes tea'] }] });
    });
    const before = vault.files();
    const rename = (folder: string, from: string, to: string): Promise<void> =>
      withTool(vault, folder, async (tool) => {
        await expect(tool.rename({ old_path: `/memories/${from}`, new_path: `/memories/${to}` })).rejects.toThrow(/is a task|is kept by/);
      });
    await rename('projects', 'shed/sand-the-boards.md', 'shed/sand-the-boards.txt');
    const [entity = ''] = before.filter((path) => path.startsWith('memory/'));
    await rename('memory', entity.slice('memory/'.length), 'ada.txt');
    expect(vault.files()).toEqual(before);
  }));

it('O-05 the folder is found in whichever Unicode form the disk has it', () =>
  withVault({ 'Bu\u0308cher/a.md': 'A\n' }, async (vault) => {
    await withTool(vault, 'B\u00fccher', async (tool) => {
      expect(await tool.view({ path: '/memories' })).toContain('/memories/a.md');
      await tool.create({ path: '/memories/b.md', file_text: 'B\n' });
      await tool.rename({ old_path: '/memories/a.md', new_path: '/memories/c.md' });
    });
    expect(vault.files()).toEqual(['Bu\u0308cher/b.md', 'Bu\u0308cher/c.md']);
  }));

it('O-05 an edit of a long line answers with a part of it', () =>
  inMemories({ 'memories/a.txt': `${'x'.repeat(900_000)}\nend\n` }, async (tool) => {
    expect((await tool.str_replace({ path: '/memories/a.txt', old_str: 'end', new_str: 'y\n'.repeat(40_000) })).length).toBeLessThan(
      61_000,
    );
  }));

it('O-10 the memory tool takes no file for missing whose content a sync service keeps elsewhere', () =>
  inMemories({ 'memories/.a.md.icloud': 'x', 'memories/b.md': '[[a]]\n', 'memories/d/.c.md.icloud': '' }, async (tool, vault) => {
    expect(await tool.view({ path: '/memories' })).toMatch(/\t\/memories\/a\.md\n[^]*\t\/memories\/d\/c\.md$/);
    for (const input of [
      { command: 'view', path: '/memories/a.md' },
      { command: 'str_replace', path: '/memories/a.md', old_str: 'x', new_str: 'y' },
      { command: 'delete', path: '/memories/a.md' },
      { command: 'delete', path: '/memories/d' },
      { command: 'rename', old_path: '/memories/d', new_path: '/memories/e' },
      { command: 'create', path: '/memories/a.md', file_text: '' },
      { command: 'rename', old_path: '/memories/b.md', new_path: '/memories/a.md' },
    ])
      expect(await tool.execute(input)).toMatchObject({ is_error: true, content: expect.stringContaining('online-only') });
    expect([vault.read('memories/b.md'), vault.read('memories/.a.md.icloud')]).toEqual(['[[a]]\n', 'x']);
  }));
