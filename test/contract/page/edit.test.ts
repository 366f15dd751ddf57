import { describe, expect, it } from 'vitest';
import { withPage } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';
import { toEditorText, toFileText } from '../../../src/ops/notes/page/edit/source-text.ts';

const MIXED = '\ufeffone\r\ntwo\nthree\rfour\n\r\nlast';

describe('U-03 what the page writes', () => {
  it('U-03 line ends, the byte order mark and a missing last line end stay, line by line', () => {
    expect(toEditorText(MIXED)).toBe('one\ntwo\nthree\nfour\n\nlast');
    for (const text of [MIXED, '', '\ufeff', 'a\r\nb\r\n', 'a\rb', '\n\n', 'x'.repeat(10)])
      expect(toFileText(text, toEditorText(text))).toBe(text);
    expect(toFileText(MIXED, 'zero\none\ntwo!\nthree\nfour\n\nlast\n')).toBe('\ufeffzero\r\none\r\ntwo!\nthree\rfour\n\r\nlast\r\n');
    expect(toFileText('a\r\nb\r\n', 'a\nx\nb')).toBe('a\r\nx\r\nb');
  });

  it('U-03 a text is saved only over the one that was edited; both sides of a change that touches another are answered', async () => {
    await withVault({ 'a.md': MIXED, 'own.md': '---\nid: n1\nrev: 3\n---\nx\n' }, (vault) =>
      withPage(vault, async ({ page, answer }) => {
        const source = await page('edit_source', { path: 'a.md' });
        expect(source).toMatchObject({ path: 'a.md', title: 'a', text: toEditorText(MIXED), section: null });
        const text = source.text.replace('two', 'TWO');
        const saved = await page('save_edit', { path: 'a.md', text, if_match: source.etag });
        expect(vault.readBytes('a.md').toString()).toBe(MIXED.replace('two', 'TWO'));
        expect((await answer('save_edit', { path: 'a.md', text: 'mine', if_match: source.etag })).body).toMatchObject({
          error: { code: 'CONFLICT', details: { etag: saved.etag } },
        });
        const touching = await page('merge_edit', { path: 'a.md', base: source.text, text: source.text.replace('two', 'zwei') });
        expect(touching).toMatchObject({ etag: saved.etag, theirs: text });
        expect(touching.parts.filter(({ kind }: { kind: string }) => kind === 'conflict')).toEqual([
          { kind: 'conflict', ours: ['zwei'], theirs: ['TWO'] },
        ]);
        const apart = await page('merge_edit', { path: 'a.md', base: source.text, text: `${source.text}\nmore` });
        expect(apart.parts.flatMap(({ lines }: { lines: string[] }) => lines).join('\n')).toBe(`${text}\nmore`);
        expect(await page('undo', { batch: saved.batch })).toBeTruthy();
        expect(vault.readBytes('a.md').toString()).toBe(MIXED);
        // A note that counts its writes counts this one.
        const own = await page('edit_source', { path: 'own.md' });
        await page('save_edit', { path: 'own.md', text: own.text.replace('x', 'y'), if_match: own.etag });
        expect(vault.read('own.md')).toMatch(/^---\nid: n1\nrev: 4\n(?:updated_at: .*\n)?---\ny\n$/);
      }),
    );
  });

  it('U-03 what is meant for a deleted note reaches no other of its name, and the note is made again only where none is', async () => {
    const files = { 'README.md': '- [ ] one\n', 'lib/README.md': '- [ ] one\n', 'moved.md': 'moved\n' };
    await withVault(files, (vault) =>
      withPage(vault, async ({ page, answer }) => {
        const { text, etag } = await page('edit_source', { path: 'README.md' });
        const [mark] = /(?<=data-mark=")\w+/.exec((await page('read_page', { path: 'README.md' })).html) ?? [];
        vault.remove('README.md');
        const calls = {
          edit_source: {},
          page_properties: {},
          merge_edit: { base: text, text: `${text}mine\n` },
          save_edit: { text: 'mine\n', if_match: etag },
          tick_checkbox: { line: 0, mark, is_done: true, if_match: etag },
        };
        for (const [name, args] of Object.entries(calls))
          expect((await answer(name, { path: 'README.md', ...args })).body, name).toMatchObject({ error: { code: 'NODE_NOT_FOUND' } });
        expect(vault.read('lib/README.md')).toBe(files['lib/README.md']);
        const again = await page('save_edit', { path: 'README.md', text: 'mine\n', if_match: null });
        expect(again).toMatchObject({ path: 'README.md', etag: (await page('edit_source', { path: 'README.md' })).etag });
        expect(vault.read('README.md')).toBe('mine\n');
        expect((await answer('save_edit', { path: 'readme.md', text: 'x', if_match: null })).body).toMatchObject({
          error: { code: 'CONFLICT' },
        });
        for (const path of ['../out.md', '.obsidian/a.md', '/etc/a.md', 'a.txt'])
          expect((await answer('save_edit', { path, text: 'x', if_match: null })).body, path).toHaveProperty('error');
        // A note that was moved is the same note.
        await page('rename', { changes: [{ from: 'moved.md', to: 'lib/there.md' }] });
        expect(await page('edit_source', { path: 'moved.md' })).toMatchObject({ path: 'lib/there.md' });
      }),
    );
  });

  it('U-03 sections by their anchors, of equal headings too', async () => {
    const text = '---\nx: 1\n---\nintro\n# One **two**\na\n## Below\nb\n# One two\nc\n';
    await withVault({ 'a.md': text }, (vault) =>
      withPage(vault, async ({ page }) => {
        const section = async (anchor: string) => (await page('edit_source', { path: 'a.md', section: anchor })).section;
        expect(await section('one-two')).toMatchObject({ from: 4, to: 8 });
        expect(await section('one-two-2')).toMatchObject({ from: 8, to: 11 });
        expect(await section('below')).toMatchObject({ from: 6, to: 8, heading: 'Below' });
        expect(await section('nowhere')).toBe(null);
        expect((await page('read_page', { path: 'a.md' })).outline.map(({ id }: { id: string }) => id)).toEqual([
          'one-two',
          'below',
          'one-two-2',
        ]);
      }),
    );
  });
});
