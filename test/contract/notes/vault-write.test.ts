import { readdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkName } from '../../../src/note/path.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

describe('creating notes', () => {
  it('S2-20 makes the file and its folders, answers the whole node, and refuses a second one', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const made = await ask('create_node', {
          include_content: true,
          title: 'Meeting Notes 2024-01-15',
          content: '# Meeting\n\nWith [[nobody]].\n',
          tags: ['meeting', '#project-x'],
          directory: 'meetings/2024',
        });
        expect(made).toMatchObject({
          id: 'meetings/2024/meeting-notes-2024-01-15.md',
          path: 'meetings/2024/meeting-notes-2024-01-15.md',
          title: 'Meeting Notes 2024-01-15',
          content: '# Meeting\n\nWith [[nobody]].\n',
          tags: ['meeting', 'project-x'],
          links: [{ id: 'nobody', title: 'nobody' }],
          rev: 1,
        });
        expect(vault.files()).toEqual(['meetings/2024/meeting-notes-2024-01-15.md']);
        expect((await ask('get_node', { id: made.id })).etag).toBe(made.etag);
        const before = vault.read(made.path);
        const { error } = await refuse('create_node', { title: 'meeting notes 2024-01-15', content: 'x', directory: 'meetings/2024' });
        expect(error.code).toBe('NODE_EXISTS');
        expect(vault.read(made.path)).toBe(before);
      }),
    ));

  it('S2-21 names files in lower case with hyphens, never empty, and keeps letters of every script', () =>
    withVault({ 'some-slug.md': '' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const path = async (title: string) => (await ask('create_node', { title, content: '' })).path;
        expect(await path('Ünïcode Título')).toBe('ünïcode-título.md');
        expect(await path('日本語のメモ')).toBe('日本語のメモ.md');
        expect(await path('What? (v2.0): *done*')).toBe('what-v2-0-done.md');
        for (const [index, title] of ['!!!', '---', '', '🎉🎉'].entries()) {
          const made = await ask('create_node', { title, content: '', directory: `d${index}` });
          expect(made.path, title).toMatch(/^d\d\/.+\.md$/);
          expect(made.title, title).not.toBe('');
        }
      }),
    ));

  it('S2-22 keeps the title as it was given, so that links by it resolve; in vaults with titled names it is the file name', async () => {
    await withVault({ 'a-slug.md': 'see [[sesame-oil|Sesame Oil]]' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('create_node', { title: 'Sesame Oil', content: '' })).toMatchObject({
          path: 'sesame-oil.md',
          title: 'Sesame Oil',
        });
        expect(vault.read('sesame-oil.md')).toContain('title: Sesame Oil');
        expect((await ask('get_node', { id: 'Sesame Oil' })).path).toBe('sesame-oil.md');
      }),
    );
    await withVault({ 'My Note.md': 'see [[Sesame Oil]]', 'Other Note.md': '' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('create_node', { title: 'Sesame Oil', content: '' })).toMatchObject({
          path: 'Sesame Oil.md',
          title: 'Sesame Oil',
        });
        expect((await ask('get_node', { id: 'My Note' })).links).toEqual([{ id: 'Sesame Oil.md', title: 'Sesame Oil' }]);
      }),
    );
  });

  it('S2-23 F40 never writes outside the vault, into hidden folders or under names that some system cannot hold', () =>
    withVault({ 'Existing.md': 'x\n', 'sub/real.md': '' }, (outside) =>
      withVault({ 'Existing.md': 'x\n', '.obsidian/app.json': '{}' }, (vault) =>
        withServer(vault, async ({ refuse, ask }) => {
          symlinkSync(outside.root, vault.path('escape'));
          const directories = [
            '..',
            '../x',
            'a/../../x',
            '/etc',
            '/',
            'a//b',
            '.obsidian',
            '.OBSIDIAN',
            '.git/hooks',
            'node_modules',
            '..\\x',
            'a\\..\\..\\x',
            'C:',
            'C:\\x',
            '\\\\server\\x',
            'con',
            'escape',
            'escape/sub',
            'x.',
            'a\0b',
          ];
          for (const directory of directories) {
            const { error } = await refuse('create_node', { title: 'Probe', content: 'x', directory });
            expect(['INVALID_PARAMS', 'NODE_EXISTS'], `${directory}: ${error.message}`).toContain(error.code);
          }
          for (const title of ['../up', 'a/b', 'a\\b', 'a#b', 'a|b', 'a^b', '[a]', 'CON', 'nul', '.hidden', 'x'.repeat(300), 'dot.']) {
            const { path } = await ask('create_node', { title, content: 'x' });
            expect([title, checkName(path)]).toEqual([title, null]);
            await ask('delete_node', { id: path });
          }
          expect((await refuse('create_node', { title: 'a\0b', content: 'x' })).error.code).toBe('INVALID_PARAMS');
          for (const title of ['existing', 'EXISTING'])
            expect((await refuse('create_node', { title, content: 'x' })).error.code).toBe('NODE_EXISTS');
          for (const id of ['../outside', '/etc/passwd', '.obsidian/app.json', 'escape/Existing', '~/x', '%2e%2e/x', 'a\0b']) {
            expect(await ask('get_node', { id }), id).toBeNull();
          }
          expect(vault.files()).toEqual(['Existing.md', 'escape']);
          expect(outside.files()).toEqual(['Existing.md', 'sub/real.md']);
        }),
      ),
    ));

  it('creates with a type and properties, and does with an existing note what if_exists says', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask }) => {
        const made = await ask('create_node', {
          include_content: true,
          title: 'x',
          content: 'one',
          type: 'plant',
          properties: { height: 3, code: '1', when: '2024-01-15', ok: true },
        });
        expect(made).toMatchObject({ type: 'plant', properties: { height: 3, code: '1', when: '2024-01-15', ok: true } });
        expect(made.created).toBe(made.updated);
        const kept = await ask('create_node', { title: 'x', content: 'two', if_exists: 'skip' });
        expect(kept).toMatchObject({ skipped: true, rev: 1, etag: made.etag });
        const updated = await ask('create_node', { title: 'x', content: 'three', if_exists: 'update', include_content: true });
        expect(updated).toMatchObject({ content: 'three', rev: 2, type: 'plant', properties: made.properties });
        expect(updated.created).toBe(made.created);
      }),
    ));

  it('keeps typed content exactly, text or bytes', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const bytes = Buffer.from([0, 1, 2, 255, 254]);
        const made = await ask('create_node', {
          include_content: true,
          title: 'blob',
          content: bytes.toString('base64'),
          encoding: 'base64',
          format: 'bin',
        });
        expect(made).toMatchObject({ format: 'bin', encoding: 'base64' });
        expect(vault.readBytes('blob.bin')).toEqual(bytes);
        expect(
          (await refuse('create_node', { title: 'bad', content: '!!notbase64!!', encoding: 'base64', format: 'bin' })).error.code,
        ).toBe('INVALID_ENCODING');
        expect((await refuse('update_node', { id: 'blob', content: 'text' })).error.code).toBe('INVALID_ENCODING');
        await ask('update_node', { id: 'blob', content: Buffer.from([7]).toString('base64'), encoding: 'base64' });
        const [file] = (await ask('get_node', { id: 'blob' })).links;
        expect(vault.readBytes(file.id)).toEqual(Buffer.from([7]));
        expect(vault.exists('blob.bin')).toBe(false);
      }),
    ));

  it('F46 bytes go into no file that could act by its name, and no file that the note only shows is taken away for them', () =>
    withVault(
      {
        'shows.md': '---\nformat: png\nencoding: base64\n---\n![[photo.png]]\n',
        'other.md': '![[photo.png]]\n',
        'photo.png': 'PNG',
        'deploy.md': '---\nformat: sh\nencoding: base64\n---\n![[run.sh]]\n',
        'run.sh': '#!/bin/sh\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          await ask('create_node', { title: 'report', content: 'AAEC', encoding: 'base64', format: 'pdf' });
          vault.write('report.md', vault.read('report.md').replace('![[', '![[photo.png]]\n![['));
          await ask('get_node', { id: 'report' });
          await ask('update_node', { id: 'report', content: 'AQID', encoding: 'base64' });
          expect(vault.exists('report.pdf')).toBe(false);
          const content = Buffer.from('{"scripts":{}}').toString('base64');
          for (const [title, format] of [
            ['package', 'json'],
            ['opencode', 'JSON'],
            ['run', 'sh'],
            ['odd', '../x'],
          ])
            await ask('create_node', { title, format, content, encoding: 'base64' });
          for (const id of ['shows', 'deploy']) await ask('update_node', { id, content, encoding: 'base64', format: 'json' });
          const made = vault.files().filter((file) => !file.endsWith('.md'));
          expect(made.filter((file) => !/\.bin$|^report-\w{8}\.pdf$/.test(file)).toSorted()).toEqual(['photo.png', 'run.sh']);
          expect([vault.read('photo.png'), vault.read('run.sh')]).toEqual(['PNG', '#!/bin/sh\n']);
        }),
    ));
});

describe('updating notes', () => {
  it('S2-25 what means something in tasks alone is a property like any other in the notes of people', () =>
    withVault({ 'clip.md': '---\nsource: https://a.example\nsummary: Short\nstate: draft\nevidence: none\n---\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const properties = { source: 'https://a.example', summary: 'Short', state: 'draft', evidence: 'none' };
        expect((await ask('get_node', { id: 'clip' })).properties).toEqual(properties);
        await ask('update_node', { id: 'clip', properties: { source: 'https://b.example', summary: null } });
        expect((await ask('get_node', { id: 'clip' })).properties).toEqual({
          source: 'https://b.example',
          state: 'draft',
          evidence: 'none',
        });
        expect(vault.read('clip.md')).toMatch(/^source: https:\/\/b\.example\nstate: draft\nevidence: none\n/m);
      }),
    ));

  const note = '---\n# kept\nzeta: 1\ntags: [old]   # why\nalpha: "x"\n---\nOld body.\n';

  it('S2-25 needs something to change, replaces the body and the tags only, and keeps every other byte', () =>
    withVault({ 'n.md': note }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        expect((await refuse('update_node', { id: 'n' })).error.code).toBe('INVALID_PARAMS');
        expect((await refuse('update_node', { id: 'nope', content: 'x' })).error.code).toBe('NODE_NOT_FOUND');
        const updated = await ask('update_node', { include_content: true, id: 'n', content: 'New body.\n' });
        expect(updated.content).toBe('New body.\n');
        expect(vault.read('n.md')).toContain('# kept\nzeta: 1\ntags: [old]   # why\nalpha: "x"\n');
        expect((await ask('update_node', { include_content: true, id: 'n', tags: ['new', '#Other'] })).tags).toEqual(['new', 'Other']);
        expect(vault.read('n.md')).toMatch(/# kept\nzeta: 1\ntags: .*\nalpha: "x"\n/);
      }),
    ));

  it('merges properties where they stand, null removes, and a repeat writes nothing', () =>
    withVault({ 'n.md': note }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const updated = await ask('update_node', {
          include_content: true,
          id: 'n',
          properties: { zeta: 2, beta: 'new', alpha: null },
          type: 'plant',
        });
        expect(updated).toMatchObject({ properties: { zeta: 2, beta: 'new' }, type: 'plant' });
        const text = vault.read('n.md');
        expect(text).toContain('# kept\nzeta: 2\n');
        expect(text).not.toContain('alpha');
        const again = await ask('update_node', {
          include_content: true,
          id: 'n',
          properties: { zeta: 2, beta: 'new', alpha: null },
          type: 'plant',
        });
        expect(again.rev).toBe(updated.rev);
        expect(vault.read('n.md')).toBe(text);
      }),
    ));

  it('S2-26 S2-28 a new title renames the file and rewrites every link to it, nothing else', () => {
    const linking = [
      '---',
      'up: "[[Old Name]]"',
      '---',
      '[[Old Name]] [[Old Name|shown]] [[Old Name#Head]] [[Old Name#^b1]] ![[Old Name]]',
      '[text](Old%20Name.md) [[dir/Old Name]]',
      '`[[Old Name]]` <!-- [[Old Name]] -->',
      '```',
      '[[Old Name]]',
      '```',
      '',
    ].join('\n');
    return withVault(
      { 'dir/Old Name.md': '# Head\n\ntext ^b1\n\nself [[Old Name#Head]]\n', 'linking.md': linking, 'Other Note.md': '[[Unrelated]]\n' },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const renamed = await ask('update_node', { id: 'Old Name', title: 'New Name' });
          expect(renamed).toMatchObject({ id: 'dir/New Name.md', title: 'New Name' });
          expect(vault.exists('dir/Old Name.md')).toBe(false);
          expect(vault.read('linking.md')).toBe(
            [
              '---',
              'up: "[[New Name]]"',
              '---',
              '[[New Name]] [[New Name|shown]] [[New Name#Head]] [[New Name#^b1]] ![[New Name]]',
              '[text](New%20Name.md) [[dir/New Name]]',
              '`[[Old Name]]` <!-- [[Old Name]] -->',
              '```',
              '[[Old Name]]',
              '```',
              '',
            ].join('\n'),
          );
          expect(vault.read('dir/New Name.md')).toContain('self [[New Name#Head]]');
          expect(vault.read('Other Note.md')).toBe('[[Unrelated]]\n');
          expect((await ask('get_node', { id: 'Old Name' })).id).toBe('dir/New Name.md');
        }),
    );
  });

  it('S2-27 a rename onto an existing note changes nothing', () =>
    withVault({ 'A Note.md': 'a\n', 'B Note.md': 'b\n', 'C Note.md': '[[A Note]]\n' }, (vault) =>
      withServer(vault, async ({ refuse }) => {
        const before = vault.files().map((file) => vault.read(file));
        for (const title of ['B Note', 'b note'])
          expect((await refuse('update_node', { id: 'A Note', title })).error.code).toBe('NODE_EXISTS');
        expect((await refuse('update_node', { id: 'A Note', title: 'x\ny' })).error.code).toBe('INVALID_PARAMS');
        expect(vault.files().map((file) => vault.read(file))).toEqual(before);
      }),
    ));

  it('renames and changes the rest in one write that counts one revision', () =>
    withVault({ 'A Note.md': '---\nrev: 4\n---\na\n', 'C Note.md': '[[A Note]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const updated = await ask('update_node', {
          include_content: true,
          id: 'A Note',
          title: 'D Note',
          content: 'new\n',
          tags: ['t'],
          expected_rev: 4,
        });
        expect(updated).toMatchObject({ id: 'D Note.md', content: 'new\n', tags: ['t'], rev: 5 });
        expect(vault.read('C Note.md')).toBe('[[D Note]]\n');
      }),
    ));

  it('S2-35 F14 a stale rev or etag is a CONFLICT that names the current ones and writes nothing', () =>
    withVault({ 'n.md': '---\nrev: 2\n---\nfirst\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const read = await ask('get_node', { id: 'n' });
        expect(read.rev).toBe(2);
        vault.write('n.md', '---\nrev: 2\n---\nedited by hand\n');
        const { error } = await refuse('update_node', { include_content: true, id: 'n', content: 'agent', if_match: read.etag });
        expect(error.code).toBe('CONFLICT');
        expect(error.details).toMatchObject({ rev: 2 });
        const current = await ask('get_node', { id: 'n' });
        expect(error.details.etag).toBe(current.etag);
        expect((await refuse('update_node', { id: 'n', content: 'agent', expected_rev: 1 })).error.code).toBe('CONFLICT');
        expect((await refuse('update_node', { id: 'n', title: 'other', expected_rev: 1 })).error.code).toBe('CONFLICT');
        expect(vault.read('n.md')).toBe('---\nrev: 2\n---\nedited by hand\n');
        const updated = await ask('update_node', {
          include_content: true,
          id: 'n',
          content: 'agent',
          if_match: current.etag,
          expected_rev: 2,
        });
        expect(updated).toMatchObject({ rev: 3, content: 'agent' });
      }),
    ));
});

describe('deleting notes', () => {
  it('S2-29 moves the note to the trash, names the links that lead nowhere now, and leaves prose alone', () =>
    withVault(
      {
        'x.md': 'gone soon\n',
        'alone/in folder.md': 'gone as well\n',
        'prose.md': '---\nup: "[[x]]"\n---\nsee [[x]]\n',
        'edge.md': '---\nid: t_1\ntype: task\nresolved: false\ndepends_on:\n  - "[[x]]"\n  - "[[prose]]"\n---\n',
        'relation.md': '## Relations\n\n- likes [[x]]\n- likes [[prose]]\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const prose = vault.read('prose.md');
          const deleted = await ask('delete_node', { id: 'x' });
          expect(deleted.deleted).toBe(true);
          expect(deleted._warnings.join('\n')).toContain('prose.md');
          expect(vault.exists('x.md')).toBe(false);
          expect(vault.read('prose.md')).toBe(prose);
          expect(vault.read('edge.md')).not.toContain('[[x]]');
          expect(vault.read('edge.md')).toContain('[[prose]]');
          expect(vault.read('relation.md')).toBe('## Relations\n\n- likes [[prose]]\n');
          expect(await ask('get_node', { id: 'x.md' })).toMatchObject({ content: null });
          expect(await ask('delete_node', { id: 'x.md' })).toEqual({ deleted: false });
          // As in Obsidian, the folder stays.
          await ask('delete_node', { id: 'alone/in folder.md' });
          expect(readdirSync(vault.path('alone'))).toEqual([]);
        }),
    ));

  it('F18 a repeated call with its idempotency key has one effect and the first answer; another payload is refused', () =>
    withVault({}, async (vault) => {
      const args = { title: 'Once', content: 'x', idempotency_key: 'k-1' };
      const first = await withServer(vault, ({ ask }) => ask('create_node', args));
      await withServer(vault, async ({ ask, refuse }) => {
        const again = await ask('create_node', args);
        expect(again).toMatchObject({ id: first.id, etag: first.etag });
        expect((await refuse('create_node', { ...args, content: 'y' })).error.code).toBe('IDEMPOTENCY_MISMATCH');
        expect((await ask('list_nodes')).total).toBe(1);
      });
    }));
});
