import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { refused, renamed, withFiles } from './vault-files.ts';

describe('E-20 tags', () => {
  it('E-20 in properties of any form and in text, with those nested below, in any case; not in code, links, URLs, math, comments', async () => {
    const files = {
      'list.md': '---\ntags: # mine\n  - old\n  - "#Old/Deep"\n  - older\n---\ntext\n',
      'flow.md': '---\r\ntags: [a, old]\r\n---\r\n#old, #OLD/x and #older (#old)\r\n',
      'text.md': '---\ntags: old, b\n---\n',
      // Obsidian reads no tags under these keys since 1.9: they are a person's own, and stay.
      'no-tags.md': '---\ntag: old\nTAGS: [old]\n---\n',
      'body.md':
        '# A #old heading\n\n- [ ] task #old\n> #old/x\n\n`#old` [[n#old]] [x](https://a.b/#old) $#old$ a#old \\#old <!-- #old -->\n\n%% #old %%\n\n```\n#old\n```\n\n| #old | b |\n|---|---|\n',
      'links.md': '[[body#A old heading]]\n',
      'excluded/e.md': '#old\n',
      '.obsidian/app.json': '{"userIgnoreFilters": ["excluded/"]}',
    };
    const { '.obsidian/app.json': app, ...visible } = files;
    void app;
    const { after, answer } = await renamed(visible, { '#old': '#new' });
    expect(after).toEqual({
      'list.md': '---\ntags: # mine\n  - new\n  - "#new/Deep"\n  - older\n---\ntext\n',
      'flow.md': '---\r\ntags: [a, new]\r\n---\r\n#new, #new/x and #older (#old)\r\n',
      'text.md': '---\ntags: new, b\n---\n',
      'body.md': files['body.md']
        .replace('A #old', 'A #new')
        .replace('task #old', 'task #new')
        .replace('> #old/x', '> #new/x')
        .replace('%% #old', '%% #new')
        .replace('| #old', '| #new'),
      'links.md': '[[body#A new heading]]\n',
      'excluded/e.md': '#new\n',
    });
    expect(answer.renamed).toEqual([{ from: '#old', to: '#new', files: 5 }]);
  });

  it('E-20 merging into a tag that is there leaves no duplicates', async () => {
    const files = {
      'a.md': '---\ntags:\n  - old\n  - x\n  - New\n---\n#old #new\n',
      'b.md': '---\ntags: [old, OLD, y]\n---\n',
      'c.md': '---\ntags: old new\n---\n',
      'd.md': '---\ntags: [old/x, new/x]\n---\n',
    };
    expect((await renamed(files, { '#old': '#new' })).after).toEqual({
      'a.md': '---\ntags:\n  - x\n  - New\n---\n#new #new\n',
      'b.md': '---\ntags: [new, y]\n---\n',
      'c.md': '---\ntags: new\n---\n',
      'd.md': '---\ntags: [new/x]\n---\n',
    });
  });

  it('E-20 the longer of two tags counts, and a nested one may leave its parent', async () => {
    const files = { 'a.md': '---\ntags: [p, p/q, p/q/r]\n---\n#p/q\n' };
    expect((await renamed(files, { '#p': '#x', '#p/q': '#y' })).after).toEqual({ 'a.md': '---\ntags: [x, y, y/r]\n---\n#y\n' });
  });

  it('E-20 a base keeps its filters: literals that are the tag follow, what it calls is named, as are texts of canvases', async () => {
    const files = {
      'a.md': '#old/deep\n',
      'v.base': 'filters:\n  or:\n    - file.hasTag("old")\n    - file.tags.contains("old/deep")\n    - status == "old"\n',
      'c.canvas': '{"nodes":[{"id":"1","type":"text","text":"a #old"}]}',
    };
    const { after, answer } = await renamed(files, { '#old': '#new' });
    expect(after).toEqual({ 'a.md': '#new/deep\n', 'v.base': files['v.base'].replace('old/deep', 'new/deep') });
    expect(answer._warnings).toEqual([
      'c.canvas: a text names #old; it was left alone. Change it by hand.',
      'v.base: a filter names hasTag("old"); it was left alone. Change it by hand.',
    ]);
  });

  it.each([
    ['spaces', { '#old': '#new tag' }, 'INVALID_PARAMS', 'spaces'],
    ['only digits', { '#old': '#1984' }, 'INVALID_PARAMS', 'besides digits'],
    ['a sign', { '#old': '#a.b' }, 'INVALID_PARAMS', '"."'],
    ['an empty part', { '#old': '#a//b' }, 'INVALID_PARAMS', 'empty'],
    ['the same name', { '#old': '#old' }, 'INVALID_PARAMS', 'called that already'],
    ['a place below itself', { '#old': '#Old/deep' }, 'INVALID_PARAMS', 'below itself'],
    ['a tag that no note has', { '#young': '#new' }, 'NODE_NOT_FOUND', 'The most used are #old.'],
    ['a tag that is nearly one', { '#olds': '#new' }, 'NODE_NOT_FOUND', 'Nearest: "old".'],
  ])('E-20 refuses %s', async (_, changes, code, message) => {
    const error = await refused({ 'a.md': '#old\n' }, changes as Record<string, string>);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
});

describe('E-14 queries in notes', () => {
  it('E-14 are code: what names the renamed is told of and left alone', () =>
    withFiles(
      {
        'Soil.md': '#old\n',
        'f/x.md': '',
        'views.md':
          '```dataview\nLIST FROM #old AND "f"\n```\n\n```base\nfilters: file.hasTag("old")\n```\n\n`= [[Soil]].size`\n\n```js\n"#old"\n```\n',
        'other.md': '```dataview\nLIST FROM #older\n```\n',
      },
      async ({ ask }, vault) => {
        const changes = [
          { from: '#old', to: '#new' },
          { from: 'f/', to: 'g/' },
          { from: 'Soil', to: 'Earth' },
        ];
        const expected = [
          'a dataview block names #old',
          'a base block names #old',
          'a dataview block names f/',
          'an inline query names Soil.md',
        ];
        // The search index is ready a moment after the start.
        await waitFor(async () => (await ask('rename', { changes, dry_run: true }))._warnings?.length === expected.length);
        const views = vault.read('views.md');
        const { _warnings } = await ask('rename', { changes });
        expect(_warnings).toEqual(expected.map((what) => `views.md: ${what}; it was left alone. Change it by hand.`));
        expect(vault.read('views.md')).toBe(views);
      },
    ));
});
