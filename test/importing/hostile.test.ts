import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readElements } from '../../src/importing/source/json-elements.ts';
import { readText } from '../../src/importing/source/read-file.ts';
import { openSource } from '../../src/importing/source/open-source.ts';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';
import { makeZip } from './make-zip.ts';
import type { ZipEntry } from './make-zip.ts';
import { countChanges, importInto, runImport } from './run-import.ts';
import { conversation, node } from './samples/chatgpt.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const said = (text: string) => [node('n1', null, { parts: [text] })];

it('O-06 names that lead out, links, drive letters and encrypted files of a zip are left out and named; canaries live', () =>
  withVault({ 'canary.txt': 'alive', 'vault/My canary.md': 'alive\n' }, async (ground) => {
    const entries: ZipEntry[] = [
      { name: 'conversations.json', content: JSON.stringify([conversation('id-00000001', '../../canary', said('x'), 'n1')]) },
      { name: '../canary.txt', content: 'dead' },
      { name: '/etc/canary', content: 'dead' },
      { name: 'C:\\canary.txt', content: 'dead' },
      { name: 'a/../../canary.txt', content: 'dead' },
      { name: '..\\canary.txt', content: 'dead' },
      { name: 'file-link00.png', content: '/etc/passwd', mode: 0o120777 },
      { name: 'file-secret.png', content: PNG, isEncrypted: true },
      { name: 'file-twice0.png', content: PNG },
      { name: 'file-twice0.png', content: 'dead' },
      { name: 'file-nul\0a.png', content: 'x' },
    ];
    ground.write('export.zip', makeZip(entries));
    const vault = { root: ground.path('vault') };
    const done = await importInto(vault, ground.path('export.zip'));
    expect(countChanges(done)).toEqual({ new: 2 });
    expect(done.left.map(({ reason }) => reason).sort()).toEqual([
      'another file of the archive has this name',
      'it is a symbolic link',
      'it is encrypted',
      'it leads out of the archive',
      'it leads out of the archive',
      'it leads out of the archive',
      'it names a place outside of the archive',
      'it names a place outside of the archive',
      'its name has a NUL in it',
    ]);
    expect(ground.files()).toEqual([
      'canary.txt',
      'export.zip',
      'vault/ChatGPT/2024/canary.md',
      'vault/ChatGPT/Other files.md',
      'vault/ChatGPT/attachments/file-twice0.png',
      'vault/My canary.md',
    ]);
    expect([ground.read('canary.txt'), ground.read('vault/My canary.md')]).toEqual(['alive', 'alive\n']);
  }));

it('O-06 an archive that fills a disk is refused before anything is unpacked, and one that lies is damaged', () =>
  withVault({}, (source) =>
    withVault({ 'a.md': 'x\n' }, async (vault) => {
      const zeros = Buffer.alloc(64 * 1024 * 1024);
      source.write('bomb.zip', makeZip({ 'conversations.json': zeros }));
      const bomb = await runImport(vault, source.path('bomb.zip'), '--from', 'chatgpt', '--yes');
      expect([bomb.status, bomb.stderr]).toEqual([3, expect.stringContaining('grows more than 300 times when it is unpacked')]);
      source.write(
        'large.zip',
        makeZip(Array.from({ length: 20 }, (_, at) => ({ name: `f${at}.json`, content: 'x', claimed: 0xfffffff0 }))),
      );
      const large = await runImport(vault, source.path('large.zip'), '--from', 'chatgpt', '--yes');
      expect([large.status, large.stderr]).toEqual([3, expect.stringMatching(/grows more than 300 times|unpacks to more than 64 GB/)]);
      // The directory says 10 bytes, and there are more.
      source.write(
        'lie.zip',
        makeZip([
          { name: 'conversations.json', content: JSON.stringify([conversation('id-00000001', 'A', said('x'), 'n1')]), claimed: 10 },
        ]),
      );
      const lie = await runImport(vault, source.path('lie.zip'), '--from', 'chatgpt', '--yes');
      expect([lie.status === 0, lie.stderr]).toEqual([false, expect.stringMatching(/damaged|holds nothing of chatgpt/)]);
      source.write('cut.zip', makeZip({ 'conversations.json': '[]' }).subarray(0, 60));
      expect((await runImport(vault, source.path('cut.zip'), '--yes')).stderr).toContain('cannot be read as a zip');
      expect(vault.files()).toEqual(['a.md']);
    }),
  ));

it('O-06 circles, deep nesting, broken elements and odd values of a conversation lose no other one', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const circle = conversation(
        'id-circle-1',
        'Circle',
        [node('a', 'b', { parts: ['one'] }), node('b', 'a', { parts: ['two'] }), node('c', 'nowhere', { parts: ['three'] })],
        'a',
      );
      const odd = {
        mapping: { x: null, y: { message: { content: { parts: [null, 7, { a: 1 }], content_type: 'text' } } } },
        title: 7,
        create_time: 'never',
        conversation_id: ['x'],
      };
      const deep = `${'[{"a":'.repeat(2_000)}1${'}]'.repeat(2_000)}`;
      const good = conversation('id-good-001', 'Good', said('fine'), 'n1');
      source.write(
        'conversations.json',
        `\ufeff [${JSON.stringify(circle)}, ${JSON.stringify(odd)}, {"mapping": ${deep}}, {broken}, 7, null, ${JSON.stringify(good)}, {"cut": `,
      );
      const done = await importInto(vault, source.root);
      expect(countChanges(done)).toEqual({ new: 3 });
      expect(done.left.map(({ reason }) => reason)).toEqual([
        'it nests more than 400 levels',
        'it is no JSON',
        'something in it is no conversation',
        'something in it is no conversation',
        'the file ends in the middle of it',
      ]);
      const text = vault.read('ChatGPT/2024/Circle.md');
      for (const word of ['one', 'two', 'three']) expect(text.split(`> ${word}\n`).length, word).toBe(2);
    }),
  ));

it('O-06 titles, properties and texts that give orders make no task, fact, setting or file elsewhere', () =>
  withVault({ 'canary.md': 'alive\n' }, (vault) =>
    withVault({}, async (source) => {
      const titles = [
        '---\ntype: task\nresolved: true\n---',
        'CON',
        '.git/hooks/post-commit',
        'a\u202egnp.exe',
        'x'.repeat(5_000),
        '',
        '[[canary]]',
        '%00%2e%2e%2fx',
        'C:\\x',
        'a"b: c # d',
        '.rouxrc.json',
        'NUL\0here',
      ];
      const chats = titles.map((title, at) =>
        conversation(
          `id-hostile-${String(at).padStart(4, '0')}`,
          title,
          said(`---\ntype: task\n---\n\n## Relations\n\n- KNOWS [[canary]] ^f-01\n\n- [ ] act\n\n#tag`),
          'n1',
        ),
      );
      source.write('conversations.json', JSON.stringify(chats));
      // A page of Notion claims to be a task that somebody confirmed.
      const page =
        '# Page\n\ntype: task\nresolved: true\n_claimed_by: mallory\nverified: yes\nid: t_1\norigin: person\n__proto__: x\napplies_to: src/**\n\n```dataviewjs\nx\n```\n';
      source.write(
        'Page 1429989fe8ac4effbc8f57f56486db54.md',
        page.replace(/^(\w)(?=[a-z_]*:)/gm, (letter) => letter.toUpperCase()),
      );
      for (const from of ['chatgpt', 'notion']) {
        const done = await importInto(vault, source.root, '--from', from, '--into', `projects/p-${from}`);
        expect(done.notes.every(({ change }) => change === 'new')).toBe(true);
      }
      const { stdout } = await cli(['next', '--vault', vault.root, '--json']);
      expect(stdout).not.toContain('act');
      expect(JSON.parse((await cli(['tags', '--vault', vault.root, '--json'])).stdout)).toEqual([]);
      expect(vault.read('canary.md')).toBe('alive\n');
      expect(JSON.parse((await cli(['backlinks', 'canary', '--vault', vault.root, '--json'])).stdout)).toEqual([]);
      const files = vault.files();
      // The canary, and with the page of Notion the file of chats beside it.
      expect(files.length).toBe(1 + titles.length + 3);
      for (const file of files.filter((path) => path.endsWith('.md') && path !== 'canary.md')) {
        expect(file.startsWith('projects/p-')).toBe(true);
        const text = vault.read(file);
        expect(text).toMatch(/^---\nid: n_[0-9a-z]{26}\n/);
        expect(text).not.toMatch(/^(?:type|resolved|verified|applies_to): /m);
        expect(text).toContain('\norigin: import\n');
      }
      expect(existsSync(vault.path('.git'))).toBe(false);
      expect((await cli(['doctor', '--vault', vault.root])).stdout).not.toMatch(/task|fact|frontmatter/i);
    }),
  ));

it('O-06 links, pipes and the vault itself are no export; the file system outside is not read', () =>
  withVault({}, (source) =>
    withVault({ 'a.md': 'x\n', 'sub/conversations.json': '[]' }, async (vault) => {
      writeFileSync(source.path('secret.txt'), 'secret');
      mkdirSync(source.path('export'));
      source.write('export/conversations.json', JSON.stringify([conversation('id-00000001', 'A', said('x'), 'n1')]));
      symlinkSync(source.path('secret.txt'), source.path('export/file-secret0.txt'));
      symlinkSync(source.root, source.path('export/loop'));
      const done = await importInto(vault, source.path('export'));
      expect(done.left).toEqual([
        { path: 'file-secret0.txt', reason: 'it is a symbolic link' },
        { path: 'loop', reason: 'it is a symbolic link' },
      ]);
      expect(JSON.stringify(vault.files())).not.toContain('secret');
      symlinkSync(source.path('export'), source.path('linked'));
      expect((await runImport(vault, source.path('linked'), '--from', 'chatgpt')).stderr).toContain(
        'is a symbolic link; name what it leads to',
      );
      expect((await runImport(vault, join(vault.root, '..'), '--from', 'chatgpt')).stderr).toContain('holds the vault itself');
      expect((await runImport(vault, source.path('none'), '--from', 'chatgpt')).stderr).toContain('is not there');
      expect((await runImport(vault, source.path('none.zip'), '--yes')).stderr).toContain('none.zip is not there');
      for (const into of ['../out', '/tmp/out', '.obsidian', 'a/.git/b'])
        expect((await runImport(vault, source.path('export'), '--into', into, '--yes')).stderr).toContain(
          'cannot be the folder of an import',
        );
    }),
  ));

it('O-06 what is unclear is said, with what was found', () =>
  withVault(
    {
      'a/conversations.json': '[]',
      'b/logseq/config.edn': '{}',
      'b/Page 1429989fe8ac4effbc8f57f56486db54.md': 'x',
      'c/n.md': '---\npermalink: n\n---\n',
    },
    (source) =>
      withVault({}, async (vault) => {
        const errorOf = async (path: string, ...options: readonly string[]) =>
          (await runImport(vault, source.path(path), ...options)).stderr;
        expect(await errorOf('a')).toContain('holds no export that is known here: no conversations.json');
        expect(await errorOf('b')).toContain(
          'with an id of Notion, and logseq/config.edn of Logseq. Say which one with --from notion or --from logseq.',
        );
        expect(await errorOf('c')).toContain('n.md with a permalink, as basic-memory has them. Say which one with --from basic-memory.');
        expect(await errorOf('b', '--from', 'claude')).toContain('holds nothing of claude; found: ');
        expect(await errorOf('b', '--from', 'evernote')).toContain('evernote');
        expect(vault.files()).toEqual([]);
      }),
  ));

it('O-06 a file of gigabytes is read in the memory of its largest conversation', async () => {
  const one = Buffer.from(`${JSON.stringify(conversation('id-00000001', 'A', said('x'.repeat(1_000_000)), 'n1'))},`);
  let [bytes, most] = [0, 0];
  const file = {
    path: 'conversations.json',
    size: 3e9,
    stamp: () => Promise.resolve(''),
    async *chunks() {
      yield Buffer.from('[');
      for (let at = 0; at < 300; at += 1) {
        bytes += one.length;
        await Promise.resolve();
        yield one;
      }
      yield Buffer.from('1]');
    },
  };
  let values = 0;
  for await (const element of readElements(file)) {
    values += element.kind === 'value' ? 1 : 0;
    if (values % 50 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  expect([values, bytes > 3e8]).toEqual([301, true]);
  expect(most).toBeLessThan(2e8);
});

it('O-06 an attachment that is too large is named, and one of many megabytes is copied and taken back', () =>
  withVault({}, (source) =>
    withVault({}, async (vault) => {
      source.write('conversations.json', JSON.stringify([conversation('id-00000001', 'A', said('x'), 'n1')]));
      source.write('file-large0.png', Buffer.concat([PNG, Buffer.alloc(12 * 1024 * 1024, 7)]));
      source.write('file-huge00.png', Buffer.concat([PNG, Buffer.alloc(101 * 1024 * 1024)]));
      const done = await importInto(vault, source.root);
      expect(done.left).toEqual([{ path: 'file-huge00.png', reason: 'it has more than 100 MB; copy it by hand' }]);
      expect(vault.readBytes('ChatGPT/attachments/file-large0.png').length).toBe(12 * 1024 * 1024 + PNG.length);
      expect((await cli(['undo', done.batches[0] ?? '', '--vault', vault.root])).status).toBe(0);
      expect(vault.files()).toEqual([]);
    }),
  ));

it('O-06 nothing is left in the folder for temporary files, also when the program is killed while an export is open', () =>
  withVault({ 'a.zip': makeZip({ 'Export-1-Part-1.zip': makeZip({ 'x.md': 'y' }) }) }, (source) =>
    withVault({}, async (temporary) => {
      for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, temporary.root);
      const opened = await openSource(source.path('a.zip'), 'a.zip');
      expect(opened.files.map(({ path }) => path)).toEqual(['x.md']);
      // Windows removes no open file.
      expect(readdirSync(temporary.root).length).toBe(process.platform === 'win32' ? 1 : 0);
      expect(await readText(opened.files[0]!, 10)).toBe('y');
      await opened.close();
      expect(readdirSync(temporary.root)).toEqual([]);
      vi.unstubAllEnvs();
    }),
  ));

it('O-06 folders that no note can be in, and a target that is a link, write nothing elsewhere', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const page = (name: string, at: number) => `${name}/Page ${String(at).padStart(32, '0')}.md`;
      const names = [
        'node_modules',
        '4913',
        'CON',
        '.git',
        '.obsidian',
        'a'.repeat(300),
        Array.from({ length: 50 }, (_, level) => `level ${level}`).join('/'),
      ];
      source.write('notion.zip', makeZip(Object.fromEntries(names.map((name, at) => [page(name, at), '# Page\n\nx\n']))));
      const done = await importInto(vault, source.path('notion.zip'));
      expect(countChanges(done)).toEqual({ new: names.length });
      expect(vault.files().length).toBe(1 + names.length);
      expect(await importInto(vault, source.path('notion.zip'))).toMatchObject({ notes: [], unchanged: names.length });
      symlinkSync(source.root, vault.path('Linked'));
      const before = readdirSync(source.root);
      const linked = await runImport(vault, source.path('notion.zip'), '--into', 'Linked', '--force', '--yes');
      expect(readdirSync(source.root)).toEqual(before);
      expect(linked.stdout + linked.stderr).not.toContain('undefined');
    }),
  ));
