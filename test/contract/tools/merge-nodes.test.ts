import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const NOTES = {
  'people/Nora.md':
    '---\nid: nora\ntags: [person]\naliases: [N.]\nphones: ["1"]\ncity: Lyon\nextra: { a: 1 }\n---\n# Facts\n\nSee [[Paul]] and ![photo](nora.png).\n\n[[#Facts]] [[Nora#Facts]]\n',
  'people/nora.png': 'x',
  'people/Nora copy.md':
    '---\ntags: [friend, person]\nphones: ["2"]\ncity: Nice\nborn: 1990\n---\nShe likes tea. ^tea\n\n## Old\n\n[[Nora]]\n',
  'archive/Nora Bell.md': '---\nsource: https://example.com/nora\n---\nFrom ![](../people/nora.png) and [Nora](../people/Nora.md).\n',
  'a.md':
    '---\nwith: "[[Nora copy]]"\n---\n[[Nora copy#Old|old]] ![[Nora copy#^tea]] [bell](archive/Nora%20Bell.md) `[[Nora copy]]` [[Nora]]\n',
  'Paul.md': 'Knows [[archive/Nora Bell]].\n',
  'board.canvas': '{"nodes":[{"id":"1","type":"file","file":"people/Nora copy.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
};

describe('A-10 notes merged into one', () => {
  it('text, lists, tags, aliases, embeds and every link go along, the values of the target win, and one undo brings all back', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask }) => {
        const answer = await ask('merge_nodes', { sources: ['Nora copy', 'archive/Nora Bell.md'], target: 'Nora' });
        expect(answer).toMatchObject({
          id: 'nora',
          path: 'people/Nora.md',
          merged: ['people/Nora copy.md', 'archive/Nora Bell.md'],
          links_rewritten_in: 3,
          _warnings: ['city of people/Nora copy.md was "Nice"; people/Nora.md keeps its own.'],
        });
        const { properties, tags, aliases, content, _warnings: warnings } = await ask('get_node', { id: 'nora' });
        expect(tags).toEqual(['person', 'friend']);
        expect(aliases).toEqual(['N.', 'Nora copy', 'Nora Bell']);
        expect(properties).toMatchObject({
          phones: ['1', '2'],
          city: 'Lyon',
          born: 1990,
          extra: { a: 1 },
          source: 'https://example.com/nora',
        });
        expect(content).toBe(
          '# Facts\n\nSee [[Paul]] and ![photo](nora.png).\n\n[[#Facts]] [[Nora#Facts]]\n\nShe likes tea. ^tea\n\n## Old\n\n[[Nora]]\n\nFrom ![](./nora.png) and [Nora](./Nora.md).\n',
        );
        expect(warnings ?? []).toEqual([]);
        expect(vault.read('a.md')).toBe(
          '---\nwith: "[[Nora]]"\n---\n[[Nora#Old|old]] ![[Nora#^tea]] [bell](people/Nora.md) `[[Nora copy]]` [[Nora]]\n',
        );
        expect(vault.read('Paul.md')).toBe('Knows [[people/Nora]].\n');
        expect(JSON.parse(vault.read('board.canvas'))).toMatchObject({ nodes: [{ file: 'people/Nora.md' }] });
        expect(vault.exists('people/Nora copy.md')).toBe(false);
        expect((await ask('get_node', { id: 'Nora copy' })).id).toBe('nora');
        expect(await cli(['undo', answer.batch, '--vault', vault.root])).toMatchObject({ status: 0 });
        for (const [path, text] of Object.entries(NOTES)) expect(vault.read(path)).toBe(text);
      }),
    ));

  it('a dry run shows it and writes nothing; what links cannot tell apart is named', () =>
    withVault({ 'a.md': '# Log\n\none[^1]\n\n[^1]: A\n', 'b.md': '# Log\n\ntwo[^1]\n\n[^1]: B\n', 'c.md': '[[b#Log]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const before = vault.files().map((path) => [path, vault.read(path)]);
        const { diff, _warnings: warnings } = await ask('merge_nodes', { sources: ['b'], target: 'a', dry_run: true });
        expect(diff).toContain('+two[^1]');
        expect(diff).toContain('+[[a#Log]]');
        expect(warnings).toEqual([
          'Links to b.md#Log lead to the "Log" that was in a.md now.',
          'Both b.md and a.md define [^1]; rename one of the two.',
        ]);
        expect(vault.files().map((path) => [path, vault.read(path)])).toEqual(before);
      }),
    ));

  it('refuses what would lose something: itself, tasks, entities, what is not there', () =>
    withVault({ 'a.md': 'a\n', 'b.md': 'b\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] });
        const { root } = await ask('graph_open', { project: 'shed', goal: 'It stands' });
        const before = vault.files().map((path) => [path, vault.read(path)]);
        expect((await refuse('merge_nodes', { sources: ['b', 'a'], target: 'a' })).error.code).toBe('INVALID_PARAMS');
        expect((await refuse('merge_nodes', { sources: ['b', 'nobody'], target: 'a' })).error.code).toBe('NODE_NOT_FOUND');
        expect((await refuse('merge_nodes', { sources: ['Ada'], target: 'a' })).error.message).toContain('memory');
        expect((await refuse('merge_nodes', { sources: ['a'], target: 'Ada' })).error.message).toContain('memory');
        expect((await refuse('merge_nodes', { sources: [root.id], target: 'a' })).error.message).toContain('graph_restructure');
        expect(vault.files().map((path) => [path, vault.read(path)])).toEqual(before);
      }),
    ));

  it('links in the frontmatter of a source lead where its other links do', () =>
    withVault(
      {
        'T.md': 't\n',
        'a/S.md': '---\nup: "[[R]]"\nrel: ["[[../b/R|x]]"]\nown: "[[S#Q]]"\nm: { k: "[[R]]" }\n---\n# Q\n',
        'b/R.md': 'r\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          await ask('merge_nodes', { sources: ['a/S.md', 'b/R.md'], target: 'T' });
          expect((await ask('get_node', { id: 'T' })).properties).toMatchObject({ up: '[[T]]', own: '[[T#Q]]', m: { k: '[[T]]' } });
          expect((await ask('vault_health', {})).counts).toEqual({});
        }),
    ));

  it('what a source says that cannot be taken over is refused or named', () =>
    withVault(
      {
        'T.md': '---\ntype: film\n---\nt\n',
        'unreadable.md': '---\na: [1\n---\nx\n',
        'doubled.md': '---\na: 1\na: 2\n---\nx\n',
        'fence.md': 'a\n\n```\nopen\n',
        'html.md': 'a\n\n<!-- open\n',
        'comment.md': 'a\n\n%% open\n',
        'closed.md': 'a %%b%% `%%`\n\n```\n%%\n```\n',
        'file.md': '---\nformat: png\nencoding: base64\n---\n',
        'next.md': '# N\n\n[[T]]\n',
        'book.md': '---\nid: bk\ntype: book\nrev: abc\n---\nb\n',
      },
      (vault) =>
        withServer(vault, async ({ ask, refuse }) => {
          const before = vault.files().map((path) => [path, vault.read(path)]);
          for (const source of ['unreadable', 'doubled', 'fence', 'html', 'comment', 'file'])
            expect((await refuse('merge_nodes', { sources: [source, 'next'], target: 'T' })).error.message).toContain(`${source}.md`);
          expect((await refuse('merge_nodes', { sources: ['next'], target: 'comment' })).error.message).toContain('comment.md');
          expect(vault.files().map((path) => [path, vault.read(path)])).toEqual(before);
          expect((await ask('merge_nodes', { sources: ['closed'], target: 'T' }))._warnings ?? []).toEqual([]);
          expect(await ask('merge_nodes', { sources: ['book'], target: 'T' })).toMatchObject({
            _warnings: ['type of book.md was "book"; T.md keeps its own.', 'rev of book.md was "abc"; T.md keeps its own.'],
          });
          expect((await ask('get_node', { id: 'bk' })).path).toBe('T.md');
        }),
    ));

  it('what two sources have alike is named, indented text stays code, and an embed of itself is told', () =>
    withVault(
      {
        'T.md': '[x]: p.md\n\n![[A]]\n',
        'A.md': '    code\n\n# H\n\na[^1]\n\n[^1]: an\n',
        'B.md': '---\ntype: log\n---\n# H\n\nb[^1] [see][x]\n\n[^1]: bn\n\n[x]: q.md\n',
        'L.md': '[[A#H]] [[B#H]]\n',
        'q.md': '```dataview\nLIST FROM [[B]]\n```\n',
        'v.base': 'filters: file.hasLink("A")\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const { _warnings: warnings } = await ask('merge_nodes', { sources: ['A', 'B'], target: 'T' });
          expect(warnings).toEqual([
            'Links to B.md#H lead to the "H" that was in A.md now.',
            'Both B.md and A.md define [^1]; rename one of the two.',
            'Both B.md and T.md define [x]; rename one of the two.',
            'T.md embeds a note that is one with it now, so that T.md embeds itself; remove that line.',
            'v.base: a filter names hasLink("A"); it was left alone. Change it by hand.',
            expect.stringContaining('q.md: a dataview block names') as string,
          ]);
          expect(await ask('get_node', { id: 'T' })).toMatchObject({
            type: 'log',
            content: expect.stringContaining('\n\n    code\n\n# H') as string,
          });
        }),
    ));

  it('what the target has already does not come twice, by whole lines', () =>
    withVault(
      {
        'T.md': 'One.\n\nYesterday.\n',
        'T copy.md': '---\ntags: [x]\n---\nOne.\n\nYesterday.\n\nMore.\n',
        'same.md': 'Yesterday.\n\nMore.\n',
        'Yes.md': 'Yes\n',
        'One.md': 'One.\n\nYesterday.!\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          await ask('merge_nodes', { sources: ['T copy', 'same', 'Yes', 'One.md'], target: 'T' });
          expect(vault.read('T.md')).toMatch(/\n---\nOne\.\n\nYesterday\.\n\nMore\.\n\nYes\n\nOne\.\n\nYesterday\.!\n$/);
        }),
    ));

  it('a repeat with its key has no second effect and answers as the first one', () =>
    withVault({ 'a.md': 'a\n', 'sub/b.md': 'b\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const merge = { sources: ['sub/b.md'], target: 'a', idempotency_key: 'k' };
        const first = await ask('merge_nodes', merge);
        expect(await ask('merge_nodes', merge)).toEqual(first);
        expect(vault.read('a.md')).toMatch(/^---\n[\s\S]*---\na\n\nb\n$/);
        const move = { ids: ['a.md'], directory: 'x', idempotency_key: 'm' };
        const moved = await ask('update_nodes', move);
        expect(moved.notes).toEqual(['x/a.md']);
        expect(await ask('update_nodes', move)).toEqual(moved);
      }),
    ));

  it('K-19 what came from a page makes of the merged note one that comes from there', () =>
    withVault({ 'a.md': 'mine\n', 'b.md': '---\norigin: web\n---\ntheirs\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('merge_nodes', { sources: ['b'], target: 'a' });
        expect(await ask('get_node', { id: 'a' })).toMatchObject({ _origin: 'web', content: 'mine\n\ntheirs\n' });
        expect(vault.read('a.md')).toContain('origin: web');
      }),
    ));
});
