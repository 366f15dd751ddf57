import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const LOG = '---\nstatus: open\nid: log-1\n---\n# Plan\nIntro one.\n\n## Log\n- [ ] one\n- [ ] two\n\n### Deep\ndeep\n\n## Next\nlast\n';

const withNote = (text: string, run: (session: McpInside, vault: TestVault) => Promise<void>): Promise<void> =>
  withVault({ 'log.md': text, 'other.md': 'See [[log#Log]].\n' }, (vault) => withServer(vault, (session) => run(session, vault)));

/** The body of the note, its frontmatter aside. */
const bodyOf = (vault: TestVault): string => vault.read('log.md').replace(/^\ufeff?---\r?\n[^]*?\n---\r?\n/, '');

describe('parts of a note', () => {
  it('E-01 edits are all made, each at its one place, with title, tags and properties in one revision; dry_run shows them', () =>
    withNote(LOG, async ({ ask, refuse }, vault) => {
      const edits = [
        { find: '- [ ] two', replace: '- [x] two' },
        { find: 'one', replace: 'ONE', all: true },
      ];
      const { stdout } = await cli(['update', 'log', '--find', '- [ ] two', '--replace', '- [x] two', '--dry-run', '--vault', vault.root]);
      expect(stdout).toContain('+- [x] two');
      expect(vault.read('log.md')).toBe(LOG);
      const answer = await ask('update_node', {
        include_content: true,
        id: 'log',
        edits,
        tags: ['done'],
        properties: { status: 'closed' },
        title: 'Journal',
      });
      expect(answer).toMatchObject({ rev: 1, path: 'journal.md', title: 'Journal', tags: ['done'], properties: { status: 'closed' } });
      expect(answer.rewritten).toEqual(['other.md']);
      expect(vault.read('journal.md')).toContain('Intro ONE.\n\n## Log\n- [ ] ONE\n- [x] two\n');
      expect(vault.read('other.md')).toContain('[[journal#Log]]');
      const before = vault.read('journal.md');
      for (const [wrong, message] of [
        [[{ find: '- [', replace: 'x' }], /edits\[0\]\.find occurs 2 times: line \d+ "- \[ \] ONE", line \d+ "- \[x\] two"/],
        [[edits[0], { find: 'nowhere', replace: 'x' }], /edits\[\d\]\.find does not occur/],
        [
          [
            { find: 'Intro', replace: 'x' },
            { find: 'gone', replace: 'x' },
          ],
          /edits\[1\]\.find does not occur/,
        ],
      ] as const) {
        expect((await refuse('update_node', { id: 'journal', edits: wrong, tags: ['never'] })).error).toMatchObject({
          code: 'INVALID_PARAMS',
          message: expect.stringMatching(message),
        });
      }
      expect(vault.read('journal.md')).toBe(before);
    }));

  it('E-02 what a person saved meanwhile stays where it does not touch the found text, and is told where it does', () =>
    withNote(LOG, async ({ ask, refuse }, vault) => {
      await ask('get_node', { id: 'log' });
      vault.write('log.md', LOG.replace('deep\n', 'deep, by hand\n').replace('status: open', 'status: mine'));
      await ask('update_node', { id: 'log', edits: [{ find: 'Intro one.', replace: 'Intro.' }], append: 'end' });
      expect(vault.read('log.md')).toMatch(/status: mine\n[^]*\nIntro\.\n[^]*deep, by hand\n[^]*last\nend\n$/);
      vault.write('log.md', LOG.replace('Intro one.', 'Intro by hand.'));
      expect((await refuse('update_node', { id: 'log', edits: [{ find: 'Intro one.', replace: 'x' }] })).error.code).toBe('INVALID_PARAMS');
      expect(vault.read('log.md')).toContain('Intro by hand.');
    }));

  it('E-03 overlapping edits are refused; nothing as the replacement removes; line ends, BOM and the last byte stay', () =>
    withNote(`\ufeff${LOG.replaceAll('\n', '\r\n').trimEnd()}`, async ({ ask, refuse }, vault) => {
      const overlapping = [
        { find: 'one\n- [ ]', replace: 'x' },
        { find: '- [ ] two', replace: 'y' },
      ];
      expect((await refuse('update_node', { id: 'log', edits: overlapping })).error.message).toContain('overlap');
      await ask('update_node', { id: 'log', edits: [{ find: '- [ ] one\n', replace: '' }], append: 'a\nb' });
      const text = vault.read('log.md');
      expect(text.startsWith('\ufeff---\r\n')).toBe(true);
      expect(text).not.toMatch(/[^\r]\n/);
      expect(text).toContain('## Log\r\n- [ ] two\r\n');
      expect(text.endsWith('last\r\na\r\nb')).toBe(true);
    }));

  it('E-04 edits never reach the frontmatter', () =>
    withNote(LOG, async ({ ask, refuse }, vault) => {
      expect((await refuse('update_node', { id: 'log', edits: [{ find: 'status: open', replace: 'x' }] })).error.message).toMatch(
        /only in the frontmatter.*properties/,
      );
      expect((await refuse('update_node', { id: 'log', edits: [{ find: '---\n# Plan', replace: 'x' }] })).error.code).toBe(
        'INVALID_PARAMS',
      );
      expect((await refuse('update_node', { id: 'other', prepend: '---\nid: log-1\n---\n' })).error.message).toContain('frontmatter');
      expect([vault.read('log.md'), vault.read('other.md')]).toEqual([LOG, 'See [[log#Log]].\n']);
      await ask('update_node', { id: 'log', edits: [{ find: 'Intro', replace: 'open' }] });
      await ask('update_node', { id: 'log', edits: [{ find: 'open', replace: 'shut' }] });
      expect(vault.read('log.md')).toMatch(/status: open\n[^]*shut one\./);
    }));

  it('E-05 append: at the end, under a heading, under a path, under one that it makes', () =>
    withNote(LOG, async ({ ask, refuse }, vault) => {
      await ask('update_node', { id: 'log', append: 'end' });
      expect(bodyOf(vault).endsWith('last\nend\n')).toBe(true);
      await ask('update_node', { id: 'log', append: '- three\n', under: 'log' });
      expect(bodyOf(vault)).toContain('deep\n- three\n\n## Next');
      await ask('update_node', { id: 'log', append: 'deeper', under: 'Plan > Log > Deep' });
      expect(bodyOf(vault)).toContain('- three\n\ndeeper\n\n## Next');
      const before = vault.read('log.md');
      expect((await refuse('update_node', { id: 'log', append: 'x', under: 'Later' })).error.message).toMatch(
        /no heading "Later"\. Its headings: # Plan, ## Log, ### Deep, ## Next\. create: true makes it/,
      );
      expect((await refuse('update_node', { id: 'log', under: 'Log', tags: ['x'] })).error.message).toContain('give one of them');
      expect((await refuse('update_node', { id: 'log', append: 'x', create: true })).error.message).toContain('give under');
      expect((await refuse('update_node', { id: 'log', append: 'x', content: 'y' })).error.message).toContain('append cannot go with it');
      expect(vault.read('log.md')).toBe(before);
      await ask('update_node', { id: 'log', append: 'x', under: 'Later', create: true });
      expect(bodyOf(vault).endsWith('last\nend\n\n## Later\n\nx\n')).toBe(true);
      const { status } = await cli(['append', 'log', '- by hand', '--under', 'Later', '--vault', vault.root]);
      expect([status, bodyOf(vault).endsWith('\n\nx\n- by hand\n')]).toEqual([0, true]);
    }));

  it('E-05 append puts text above what the memory tools keep at the end', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['tall'] }] });
        for (const text of ['A word.', '- no observation']) await ask('update_node', { id: 'Ada', append: text });
        expect((await ask('open_nodes', { names: ['Ada'] })).entities[0].observations).toEqual(['tall']);
        expect((await refuse('update_node', { id: 'Ada', append: '```\nopen' })).error.message).toContain('is open there');
        const twin = { id: 'Ada', append: 'plain words', under: 'Observations' };
        await ask('update_node', twin);
        expect((await ask('open_nodes', { names: ['Ada'] })).entities[0].observations).toEqual(['tall']);
        await ask('update_node', { id: 'Ada', edits: [{ find: '\nplain words\n', replace: '' }] });
        await ask('add_observations', { observations: [{ entityName: 'Ada', contents: ['gentle'] }] });
        expect(vault.read('memory/person/ada.md')).toMatch(/A word\.\n- no observation\n+## Observations\n+- tall\n- gentle\n$/);
      }),
    ));

  it('E-03 nothing that a patch leaves is hidden by it, and nothing that it brings: by edits, section and append', () =>
    withVault({ 'open.md': 'x\n```js\ncode\n', 'z.md': '# T\n\n## S\ntext\n\n## After\nkeep [[open]] #t ^blk\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('create_entities', { entities: [{ name: 'Ann', entityType: 'person', observations: ['likes tea', 'born 1970'] }] });
        const observations = async () => (await ask('open_nodes', { names: ['Ann'] })).entities[0].observations;
        await ask('update_node', { id: 'Ann', append: '```js\nrun()\n```' });
        const opening = { id: 'Ann', edits: [{ find: 'run()\n```', replace: 'run2()' }] };
        expect((await refuse('update_node', opening)).error).toMatchObject({
          code: 'INVALID_PARAMS',
          message: expect.stringContaining('"## Observations"'),
        });
        expect((await refuse('update_node', { id: 'Ann', prepend: 'a `', edits: opening.edits })).error.code).toBe('INVALID_PARAMS');
        expect(await observations()).toEqual(['likes tea', 'born 1970']);
        for (const content of ['<!-- note', '```js\ncode'])
          expect((await refuse('update_node', { id: 'z', section: { heading: 'S', content } })).error.message).toContain(
            '"## After" on line 6',
          );
        for (const given of [{ append: '- see [[z]] #tag' }, { append: '## H' }, { edits: [{ find: 'x', replace: 'y' }], append: 'words' }])
          expect((await refuse('update_node', { id: 'open', ...given })).error.message).toContain('is open there');
        expect([vault.read('open.md'), vault.read('z.md').includes('note')]).toEqual(['x\n```js\ncode\n', false]);
        await ask('update_node', { id: 'open', edits: [{ find: 'code', replace: 'more\n```' }], append: '- see [[z]]' });
        expect(vault.read('open.md')).toContain('x\n```js\nmore\n```\n- see [[z]]\n');
      }),
    ));

  it('E-03 parts of one call are kept apart as lines of a note are', () =>
    withNote('', async ({ ask }, vault) => {
      await ask('update_node', { id: 'log', prepend: '- a', append: 'para' });
      expect(bodyOf(vault)).toBe('- a\n\npara\n');
      await ask('update_node', { id: 'log', prepend: '- b', append: 'end', under: 'E', create: true });
      expect(bodyOf(vault)).toBe('- a\n\npara\n\n## E\n\n- b\n\nend\n');
    }));

  it('E-05 a heading that is made in a note of the memory stands above what its tools keep, and so does text under one that holds it', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask }) => {
        const entities = ['Ann', 'Bob'].map((name) => ({ name, entityType: 'person', observations: [`is ${name}`] }));
        await ask('create_entities', { entities });
        await ask('create_relations', { relations: [{ from: 'Ann', to: 'Bob', relationType: 'knows' }] });
        const before = await ask('open_nodes', { names: ['Ann'] });
        await ask('update_node', { id: 'Ann', append: '- hates [[Bob]]\n- plain', under: '### Extra', create: true });
        await ask('update_node', { id: 'Ann', prepend: '# Ann' });
        await ask('update_node', { id: 'Ann', append: '- hates [[Bob]] too', under: '# Ann' });
        await ask('update_node', { id: 'Ann', append: '- and this', under: 'Ann > More', create: true });
        expect(await ask('open_nodes', { names: ['Ann'] })).toEqual(before);
        expect(vault.read('memory/person/ann.md')).toMatch(
          /### Extra\n[^]*- plain\n[^]*too\n[^]*## More\n[^]*- and this\n[^]*## Observations\n/,
        );
      }),
    ));

  it('E-06 prepend: after the frontmatter, or right below a heading', () =>
    withNote(LOG, async ({ ask }, vault) => {
      await ask('update_node', { id: 'log', prepend: 'First.' });
      await ask('update_node', { id: 'log', prepend: '- [ ] zero', under: '## Log' });
      expect(bodyOf(vault)).toBe(
        LOG.slice(LOG.indexOf('# Plan')).replace('# Plan', 'First.\n# Plan').replace('## Log\n', '## Log\n- [ ] zero\n'),
      );
    }));

  it('E-07 section: all below a heading up to the next of its level; twice the same heading is refused with both lines', () =>
    withNote(LOG, async ({ ask, refuse }, vault) => {
      await ask('update_node', {
        id: 'log',
        section: { heading: 'Log', content: '## Log\n\nAll done.\n' },
        edits: [{ find: 'last', replace: 'end' }],
      });
      expect(bodyOf(vault)).toBe('# Plan\nIntro one.\n\n## Log\nAll done.\n\n## Next\nend\n');
      await ask('update_node', { id: 'log', append: '## Log\nagain' });
      const line = (text: string) => vault.read('log.md').split('\n').indexOf(text) + 1;
      const lines = `on lines ${line('## Log')}, ${line('again') - 1}`;
      expect((await refuse('update_node', { id: 'log', section: { heading: 'Log', content: 'x' } })).error.message).toContain(lines);
      expect((await refuse('update_node', { id: 'log', section: { heading: 'None', content: 'x' } })).error.message).toContain(
        'Its headings:',
      );
    }));

  it('E-09 a section that was changed since it was read: merged or refused; what the session wrote there itself is no such change', () =>
    withNote(LOG, async ({ ask, refuse }, vault) => {
      const person = (find: string, by: string): void => vault.write('log.md', vault.read('log.md').replace(find, by));
      const replace = (content: string) => ({ id: 'log', section: { heading: 'Log', content } });
      await ask('update_node', replace('- blind\n- two\n- three'));
      await ask('get_node', { id: 'log', section: 'Log' });
      person('- three', '- three\n- of a person');
      const merged = await ask('update_node', replace('- ONE\n- two\n- three'));
      expect(merged._warnings).toEqual(['"Log" of log.md was changed since this session read it; both changes are in it now.']);
      expect(vault.read('log.md')).toContain('## Log\n- ONE\n- two\n- three\n- of a person\n\n## Next\n');
      person('- ONE', '- one by hand');
      const before = vault.read('log.md');
      const { error } = await refuse('update_node', replace('- uno\n- two\n- three'));
      expect(error).toMatchObject({ code: 'CONFLICT', details: { diff: expect.stringContaining('+- one by hand') } });
      expect(vault.read('log.md')).toBe(before);
      await ask('get_node', { id: 'log', section: 'Log' });
      await ask('update_node', replace('none'));
      for (const status of ['a', 'b', 'c']) {
        person('last', `last, and ${status} by hand`);
        expect((await ask('update_node', replace(status)))._warnings).toBeUndefined();
        expect(vault.read('log.md')).toContain(`## Log\n${status}\n\n## Next\n`);
      }
    }));

  it('who had read all of a note still has after a patch of its own, and may replace it', () =>
    withNote('long '.repeat(300), async ({ ask }, vault) => {
      const { content } = await ask('get_node', { id: 'log' });
      await ask('update_node', { id: 'log', append: 'more' });
      const answer = await ask('update_node', { id: 'log', content: `${content.replace('long', 'short')}\nmore\n` });
      expect(answer).not.toHaveProperty('_warnings');
      expect(vault.read('log.md')).toMatch(/^short long [^]*\nmore\n$/);
    }));
});
