import { chmodSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RouxError } from '../../src/errors.ts';
import { withLoneFiles } from '../../src/importing/lone-files.ts';
import { readElements } from '../../src/importing/source/json-elements.ts';
import { withVault } from '../support/vault.ts';
import { makeZip } from './make-zip.ts';
import { countChanges, importInto, runImport } from './run-import.ts';
import { conversation, node } from './samples/chatgpt.ts';

const idOf = (number: number): string => String(number).padStart(32, '0');
const withFile = [
  node('n1', null, {
    content: {
      content_type: 'multimodal_text',
      parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-abc123' }],
    },
  }),
];

it('O-06 damaged pages, pictures and parts of an archive are left out and named, and the rest is imported', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const first = makeZip([
        { name: `Home ${idOf(1)}.md`, content: `# Home\n\n[B](B%20${idOf(2)}.md) ![p](p.png) ![q](q.png)\n` },
        { name: `B ${idOf(2)}.md`, content: '# B\n\nx\n', isDamaged: true },
        { name: `Table ${idOf(3)}.csv`, content: 'Name\nRow\n', isDamaged: true },
        { name: 'p.png', content: 'PNG', isDamaged: true },
        { name: 'q.png', content: 'PNG' },
      ]);
      const parts = ['Export-1-Part-1.zip', 'Export-1-Part-2.zip', 'Export-1-Part-3.zip', 'Export-1-Part-4.zip'];
      const whole = [
        { name: parts[0] ?? '', content: first },
        { name: parts[1] ?? '', content: makeZip({ [`C ${idOf(4)}.md`]: '# C\n' }).subarray(0, 40) },
        { name: parts[2] ?? '', content: 'none', isDamaged: true },
        { name: parts[3] ?? '', content: makeZip({ [`D ${idOf(5)}.md`]: '# D\n' }) },
      ];
      source.write('notion.zip', makeZip(whole));
      const done = await importInto(vault, source.path('notion.zip'));
      expect([countChanges(done), done.copied]).toEqual([{ new: 2 }, ['Notion/q.png']]);
      expect(done.left).toEqual([
        { path: 'Export-1-Part-2.zip', reason: 'it cannot be read as a zip' },
        { path: 'Export-1-Part-3.zip', reason: 'it is damaged' },
        { path: `B ${idOf(2)}.md`, reason: 'it is damaged' },
        { path: `Table ${idOf(3)}.csv`, reason: 'it is damaged' },
        { path: 'Notion/p.png', reason: 'it is damaged; copy it by hand' },
      ]);
      expect(vault.read('Notion/Home.md')).toContain(`[B](B%20${idOf(2)}.md) ![[Notion/p.png]] ![[Notion/q.png]]\n`);
      source.write('notion.zip', makeZip(whole.slice(1, 3)));
      expect((await runImport(vault, source.path('notion.zip'), '--yes')).stderr).toContain(
        'Export-1-Part-2.zip is left out: it cannot be read as a zip. Export-1-Part-3.zip is left out: it is damaged.',
      );
    }),
  ));

it('O-06 of a file with conversations, those before the damage are imported; other damaged files stop nothing', async () => {
  const file = {
    path: 'conversations.json',
    size: 100,
    stamp: () => Promise.resolve(''),
    async *chunks() {
      await Promise.resolve();
      yield Buffer.from('[1,2,{"a":');
      throw new RouxError('IO_ERROR', 'x', { fault: 'it is damaged' });
    },
  };
  const elements: unknown[] = [];
  for await (const element of readElements(file)) elements.push(element);
  expect(elements).toEqual([
    { kind: 'value', value: 1 },
    { kind: 'value', value: 2 },
    { kind: 'left', index: 3, reason: 'it is damaged, and so is not read from here on' },
  ]);
  await withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      source.write(
        'export.zip',
        makeZip([
          { name: 'conversations-000.json', content: JSON.stringify([conversation('id-00000001', 'A', withFile, 'n1')]) },
          { name: 'conversations-001.json', content: '{}' },
          { name: 'conversation_asset_file_names.json', content: '{}', isDamaged: true },
          { name: 'file-abc123.dat', content: 'x', isDamaged: true },
        ]),
      );
      const done = await importInto(vault, source.path('export.zip'));
      expect([countChanges(done), done.left]).toEqual([
        { new: 1 },
        [
          { path: 'conversation_asset_file_names.json', reason: 'it is damaged' },
          { path: 'conversations-001.json, conversation 1', reason: 'the file is no JSON array' },
          { path: 'ChatGPT/attachments/file-abc123.dat', reason: 'it is damaged; copy it by hand' },
        ],
      ]);
      source.write('export.zip', makeZip([{ name: 'conversations.json', content: '[]', isDamaged: true }]));
      expect((await runImport(vault, source.path('export.zip'), '--yes')).stderr).toContain(
        'conversations.json is left out: it is damaged',
      );
    }),
  );
});

it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('O-06 files and folders that may not be read are named', () =>
  withVault({ 'logseq/config.edn': '{}', 'pages/A.md': '- a\n', 'pages/B.md': '- b\n', 'draws/x.txt': 'x' }, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      for (const path of ['pages/A.md', 'draws']) chmodSync(source.path(path), 0);
      const done = await importInto(vault, source.root);
      chmodSync(source.path('draws'), 0o700);
      expect([countChanges(done), [...done.left].sort((a, b) => a.path.localeCompare(b.path))]).toEqual([
        { new: 1 },
        [
          { path: 'draws', reason: 'it cannot be read (EACCES)' },
          { path: 'pages/A.md', reason: 'it cannot be read (EACCES)' },
        ],
      ]);
    }),
  ),
);

it('O-06 Logseq: pages whose names begin with a dot are pages, folders of programs are none, and Org files are counted', () =>
  withVault(
    {
      'logseq/config.edn': '{}',
      'pages/.NET.md': '- x\n',
      'pages/A.md': '- See [[.NET]]\n',
      'pages/B.org': '* x\n',
      '.git/C.md': '- y\n',
    },
    (source) =>
      withVault({ 'My note.md': 'x\n' }, async (vault) => {
        const done = await importInto(vault, source.root);
        expect(done.notes.map(({ title }) => title).sort()).toEqual(['.NET', 'A', 'Other files']);
        expect(done.changed).toEqual({ 'pages in Org mode, copied as files': 1 });
        expect(vault.read('Logseq/pages/A.md')).toContain('- See [[NET|.NET]]\n');
      }),
  ));

it('O-06 a file that a note of an earlier write shows, which is not imported, is copied with the next one that shows it', () =>
  withVault({ 'file-abc123.png': 'PNG' }, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const write = (chats: readonly object[]) => source.write('conversations.json', JSON.stringify(chats));
      const [first, last] = ['id-00000000', 'id-99999999'].map((id) => conversation(id, id, withFile, 'n1'));
      write([first!]);
      await importInto(vault, source.root);
      rmSync(vault.path('ChatGPT'), { recursive: true });
      const said = [node('n1', null, { parts: ['x'] })];
      write([first!, ...Array.from({ length: 500 }, (_, at) => conversation(`id-1000${at}`, `Chat ${at}`, said, 'n1')), last!]);
      const done = await importInto(vault, source.root);
      expect([countChanges(done), done.copied]).toEqual([{ new: 501, skipped: 1 }, ['ChatGPT/attachments/file-abc123.png']]);
    }),
  ));

it('O-06 files that no note shows are divided, so that one write holds few of them', () => {
  const countOf = (sizes: readonly number[]): readonly number[] => {
    const files = sizes.map((size, at) => ({
      file: { path: `f${at}`, size, stamp: () => Promise.resolve(''), chunks: () => ({}) as AsyncIterable<Uint8Array> },
      name: `f${at}`,
      folder: '',
      isAlone: true,
    }));
    return withLoneFiles({ notes: [], files }).extra.map((note) => note.files.length);
  };
  const MB = 1024 ** 2;
  expect(countOf([])).toEqual([]);
  expect(countOf([40 * MB, 20 * MB, 20 * MB, 30 * MB, 90 * MB, 1])).toEqual([2, 2, 1, 1]);
  expect(countOf([200 * MB, 1, 200 * MB])).toEqual([3]);
  expect(countOf(Array.from({ length: 2_001 }, () => 1))).toEqual([2_000, 1]);
});
