import { describe, expect, it } from 'vitest';
import { withBuiltPage } from '../../support/page-server.ts';
import type { PageServer } from '../../support/page-server.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Hit {
  readonly kind: string;
  readonly path: string;
  readonly title: string;
  readonly snippet: string;
  readonly marks: readonly (readonly [number, number])[];
}

const NOTES = {
  'a.md':
    '---\ntags: [x, y]\nup: "[[b]]"\nnone: "[[nowhere]]"\ncount: 3\nempty:\nurl: https://example.com\n---\n# A\n\n[[b#Part|to b]] <script>x</script>\n',
  'b.md': '# B\n\n## Part\n\nlinks to [[a|the first]] and **[[a]]**, see ![[a]]\n',
  'c.md': '---\nup: "[[a]]"\n---\n',
  'Rain barrel.md': '---\naliases: [the tub, 雨水桶]\n---\n',
  'one.md': 'We filled the rain barrel today.\n\nA [[Rain barrel]] is linked.\n',
  'two.md': 'The tub leaks. The tubs are fine.\n',
  'three.md': '我们的雨水桶满了\n',
  'four.md': '[[Rain barrel]] only\n',
  'five.md': 'Grain barrels\n',
  'parts.md': `# One\n\nfirst\n\n# Two\n\nsecond\n\n${'more words '.repeat(500)}`,
  'quagga.md': `# quagga\n\n[[Zoo#Stripes]] and [[Zoo|the]] _quagga_. ${'More of it. '.repeat(40)}`,
  'passage.md': '今天我们打开知识库里的笔记然后继续阅读下一章节\n',
  'zebra.md': 'zebra > text\n\n> [!tip]- A zebra\n> inside ^block-1\n\n<!-- zebra hidden -->\n',
  'knowledge/main/kept.md':
    '- KEEPS [[Zoo]]: the zebra is kept [said_at:: 2026-03-14T00:00:00.000Z] [episode:: [[2026-03-14-x]]] ^f-01m84taf0\n- [rating:: 5] zebra\n',
};

describe('what the page asks about notes', () => {
  const notes = useOnce<PageServer>((use) => withVault(NOTES, (vault) => withBuiltPage(vault, use)));

  it('V-13 read_page: HTML, outline, properties with where they lead, backlinks with their lines', async () => {
    const { page, answer } = await notes();
    const found = await page('read_page', { path: 'a.md' });
    expect(found).toMatchObject({
      kind: 'note',
      path: 'a.md',
      title: 'a',
      tags: ['x', 'y'],
      outline: [{ level: 1, text: 'A', id: 'a' }],
      backlink_count: 2,
      properties: [
        {
          key: 'tags',
          values: [
            { text: 'x', kind: 'tag' },
            { text: 'y', kind: 'tag' },
          ],
        },
        { key: 'up', values: [{ text: 'b', note: 'b.md' }] },
        { key: 'none', values: [{ text: 'nowhere', kind: 'unresolved', target: 'nowhere' }] },
        { key: 'count', values: [{ text: '3', kind: 'number' }] },
        { key: 'empty', values: [{ text: '' }] },
        { key: 'url', values: [{ text: 'https://example.com', kind: 'url' }] },
      ],
    });
    expect(found.html).toContain('href="/note/b.md#Part"');
    expect(found.html).not.toContain('script');
    const [fromB, fromC] = found.backlinks;
    expect(fromB).toMatchObject({ path: 'b.md', title: 'b', lines: [{ line: 5, text: 'links to the first and a, see a' }, {}, {}] });
    const { text, start, end } = fromB.lines[0];
    expect(text.slice(start, end)).toBe('the first');
    expect(fromC).toMatchObject({ path: 'c.md', properties: ['up'], lines: [] });
    // By title, by id, and what is not there.
    expect((await page('read_page', { path: 'b' })).path).toBe('b.md');
    expect(await page('read_page', { path: 'nowhere' })).toMatchObject({ kind: 'wanted', sources: [{ path: 'a.md', title: 'a' }] });
    expect(await answer('read_page', { path: 'neither' })).toMatchObject({ status: 404, body: { error: { code: 'NODE_NOT_FOUND' } } });
    expect(await answer('read_page', {})).toMatchObject({ status: 400 });
  });

  it('read_page: a long note comes in parts, and one that would take too long as text, while others are answered', async () => {
    const paragraphs = Array.from({ length: 6_000 }, (_, at) => `Paragraph ${at} of a long note with some words.`);
    // Within what the scanner lets pass, in one paragraph, and minutes of work for the parser.
    const slow = `words\n${'|**a **a **a **a\n'.repeat(1_400)}${'|b** b** b** b**\n'.repeat(1_400)}`;
    await withVault({ 'long.md': paragraphs.join('\n\n'), 'slow.md': slow, 'embeds slow.md': '![[slow]]', 'small.md': 'small' }, (vault) =>
      withBuiltPage(vault, async ({ page }) => {
        const seen: string[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const part: { html: string; next_offset?: number } = await page('read_page', { path: 'long.md', offset });
          seen.push(...[...part.html.matchAll(/Paragraph (\d+) of/g)].map((match) => match[1] ?? ''));
          offset = part.next_offset;
        }
        expect(seen).toEqual(paragraphs.map((_, at) => String(at)));
        // The thread is there by now: what is slow has five seconds.
        let isAnswered = false;
        const asked = page('read_page', { path: 'slow.md' }).finally(() => (isAnswered = true));
        await page('suggest', { query: 'small' });
        await page('home_page');
        expect(isAnswered).toBe(false);
        const { html, notices } = await asked;
        expect(html).toMatch(/^<pre/);
        expect(notices[0]).toContain('takes too long');
        expect((await page('read_page', { path: 'small.md' })).html).toBe('<p dir="auto">small</p>');
      }),
    );
  });

  it('preview_page: the beginning of a note, or of a section of it, without ids', async () => {
    const { page } = await notes();
    const whole = await page('preview_page', { path: 'parts.md' });
    expect(whole).toMatchObject({ title: 'parts', folder: '', is_whole: false });
    expect(whole.html).toContain('first');
    expect(whole.html).not.toContain(' id=');
    const section = await page('preview_page', { path: 'parts.md', heading: 'Two' });
    expect(section.html).toContain('second');
    expect(section.html).not.toContain('first');
  });

  it('unlinked_mentions: names without a link, as words, outside of links and code', async () => {
    const { page } = await notes();
    const { mentions, is_complete } = await page('unlinked_mentions', { path: 'Rain barrel.md' });
    const found = (mentions as { path: string; lines: { text: string; start: number; end: number }[] }[]).map(({ path, lines }) => [
      path,
      ...lines.map(({ text, start, end }) => text.slice(start, end)),
    ]);
    expect(found.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))).toEqual([
      ['one.md', 'rain barrel'],
      ['three.md', '雨水桶'],
      ['two.md', 'The tub'],
    ]);
    expect(is_complete).toBe(true);
  });

  it('suggest: kinds, hits marked, operators completed, pages', async () => {
    await withVault('demo', (vault) =>
      withBuiltPage(vault, async ({ page }) => {
        const found = await page('suggest', { query: 'rain barrel' });
        const hits = found.hits as readonly Hit[];
        expect(new Set(hits.map(({ kind }) => kind)).size).toBeGreaterThan(1);
        for (const { snippet, marks } of hits)
          for (const [start, end] of marks) expect(snippet.slice(start, end)).toMatch(/^(?:rain|barrel)/i);
        expect(hits.some(({ snippet }) => snippet.includes('[['))).toBe(false);
        // The beginning of a word is enough.
        expect(((await page('suggest', { query: 'courg' })).hits as readonly Hit[]).some(({ title }) => title === 'Courgette')).toBe(true);
        const labels = async (query: string): Promise<readonly string[]> =>
          ((await page('suggest', { query })).completions as { label: string }[]).map(({ label }) => label);
        expect(await labels('soil tag:ho')).toContain('how-to');
        expect(await labels('path:pl')).toContain('plants');
        expect(await labels('type:pe')).toContain('person');
        expect(await labels('[sta')).toContain('status');
        expect(await labels('[status:')).toContain('tried');
        expect(await labels('ta')).toEqual(['tag:', 'task:', 'task-todo:', 'task-done:']);
        expect((await page('suggest', { query: 'soil tag:ho' })).completions[0].query).toBe('soil tag:how-to ');
        // What says nothing yet finds nothing, and takes nothing from what is said before it.
        for (const query of ['   ', 'tag:', '[', '[status:tri']) expect((await page('suggest', { query })).hits).toEqual([]);
        expect((await page('suggest', { query: 'compost tag:' })).hits.length).toBeGreaterThan(0);
        const first = await page('suggest', { query: 'the', limit: 3, kind: 'note' });
        const second = await page('suggest', { query: 'the', limit: 3, kind: 'note', offset: first.next_offset });
        const paths = [...first.hits, ...second.hits].map(({ path }: Hit) => path);
        expect(new Set(paths).size).toBe(6);
      }),
    );
  });

  it('U-07 find_titles: by title, alias and file name, own notes first; without a query the notes that were open or changed last', async () => {
    const { page } = await notes();
    const ask = async (args: Readonly<Record<string, unknown>>) => {
      const { hits, is_taken } = await page('find_titles', args);
      return { names: (hits as readonly { name: string }[]).map(({ name }) => name), isTaken: is_taken as boolean };
    };
    expect(await ask({ query: 'rain barrel' })).toEqual({ names: ['Rain barrel'], isTaken: true });
    expect(await ask({ query: 'THE  TUB' })).toEqual({ names: ['the tub'], isTaken: true });
    expect(await ask({ query: 'rbar' })).toEqual({ names: ['Rain barrel'], isTaken: false });
    expect((await ask({ query: '雨水' })).names).toEqual(['雨水桶']);
    expect((await ask({ query: 'qqqq' })).names).toEqual([]);
    const recent = await ask({ recent: ['two.md', 'nowhere.md', '../x.md', 'one.md'], limit: 5 });
    expect(recent.names.slice(0, 2)).toEqual(['two', 'one']);
    expect(recent.names).toHaveLength(5);
    expect(recent.names).not.toContain('kept');
  });

  it('U-08 suggest: notes before tasks, facts and memories, of which the first are there and all are counted', async () => {
    await withVault('demo', (vault) =>
      withBuiltPage(vault, async ({ page }) => {
        const { hits, counts, kind, total } = await page('suggest', { query: 'the', limit: 4 });
        const kinds = (hits as readonly Hit[]).map((hit) => hit.kind);
        expect(kind).toBe('note');
        expect(kinds.slice(0, 4)).toEqual(['note', 'note', 'note', 'note']);
        expect(kinds.slice(4)).not.toContain('note');
        for (const other of ['task', 'fact', 'memory'])
          expect(kinds.filter((each) => each === other)).toHaveLength(Math.min(3, counts[other] as number));
        expect(total).toBe(counts.note);
        const facts = await page('suggest', { query: 'the', kind: 'fact' });
        expect(facts.hits).toHaveLength(Math.min(20, counts.fact as number));
        expect(facts.counts).toEqual(counts);
      }),
    );
  });

  it('U-08 suggest: filters by folder, tag, type and day, sorts by title and change, and says what the hits have', async () => {
    const names = ['zebra 10', 'zebra 9', 'Zebra 1'];
    const files = Object.fromEntries(
      names.map((name, at) => [
        `${at === 0 ? 'deep/down' : 'deep'}/${name}.md`,
        `---\ntags: [animal${at === 0 ? '/striped' : ''}]\ntype: ${at === 2 ? 'thing' : 'beast'}\nupdated: 202${at}-01-01\n---\nzebra OR lion\n`,
      ]),
    );
    await withVault({ ...files, 'lion.md': 'lion zebra\n' }, (vault) =>
      withBuiltPage(vault, async ({ page }) => {
        const titles = async (args: Readonly<Record<string, unknown>>): Promise<readonly string[]> =>
          ((await page('suggest', { query: 'zebra', ...args })).hits as readonly Hit[]).map(({ title }) => title);
        expect(await titles({ sort: 'title' })).toEqual(['lion', 'Zebra 1', 'zebra 9', 'zebra 10']);
        expect(await titles({ sort: 'changed' })).toEqual(['lion', 'Zebra 1', 'zebra 9', 'zebra 10']);
        expect(await titles({ folder: 'deep/down' })).toEqual(['zebra 10']);
        expect(await titles({ folder: 'dee' })).toEqual([]);
        expect(new Set(await titles({ tag: 'animal' }))).toEqual(new Set(names));
        expect(new Set(await titles({ query: 'lion OR zebra', tag: 'animal' }))).toEqual(new Set(names));
        expect(await titles({ tag: 'animal/striped' })).toEqual(['zebra 10']);
        expect(await titles({ type: 'thing' })).toEqual(['Zebra 1']);
        expect(await titles({ since: 1 })).toEqual(['lion']);
        expect((await page('suggest', { query: 'zebra' })).facets).toMatchObject({
          folders: [
            { name: 'deep', count: 3 },
            { name: 'deep/down', count: 1 },
          ],
          types: [
            { name: 'beast', count: 2 },
            { name: 'thing', count: 1 },
          ],
        });
        // Quotes that do not end, and signs of the syntax, find what they can and break nothing.
        for (const query of ['"zebra', 'zebra (', 'zebra [', '-', 'tag:"', 'OR', '((((', '"'.repeat(500)])
          for (const tag of [undefined, 'animal', '"', 'a b'])
            await page('suggest', { query, ...(tag === undefined ? {} : { tag }), folder: 'deep', since: 3, sort: 'changed' });
        expect((await page('find_words', { query: 'zebra' })).paths).toHaveLength(4);
        expect((await page('find_words', { query: ' ' })).paths).toEqual([]);
      }),
    );
  });

  it('suggest: in a passage without spaces the words are marked, and nothing around them', async () => {
    const { page } = await notes();
    const [{ snippet, marks }] = (await page('suggest', { query: '笔记' })).hits as [Hit];
    expect(marks.map(([start, end]) => snippet.slice(start, end))).toEqual(['笔记']);
  });

  it('suggest: a snippet is what one reads of a note, without what is written for programs', async () => {
    const { page } = await notes();
    const snippets = ((await page('suggest', { query: 'zebra' })).hits as readonly Hit[]).map(({ snippet }) => snippet);
    expect(snippets.toSorted()).toEqual(['KEEPS Zoo: the zebra is kept [rating:: 5] zebra', 'zebra > text A zebra inside zebra hidden']);
    // Without the heading that repeats the title.
    const [{ snippet }] = (await page('suggest', { query: 'quagga' })).hits as [Hit];
    expect(snippet).toMatch(/^Zoo > Stripes and the quagga\. More of it\./);
  });

  it('home_page, list_folder and page_history follow what is written', async () => {
    await withVault(
      { 'a.md': 'to [[nowhere]]', 'sub/b.md': '---\nstale_after: 2020-01-01\n---\nb', 'sub/deep/c.md': 'c', 'p.png': 'x' },
      (vault) =>
        withBuiltPage(vault, async ({ page, agent }) => {
          expect(await page('home_page')).toMatchObject({
            notes: 3,
            attachments: 1,
            health: { unresolved: 1, stale: 1 },
            wanted: [{ linkpath: 'nowhere', count: 1 }],
          });
          expect(await page('list_folder', {})).toMatchObject({
            folders: [{ path: 'sub', notes: 2 }],
            notes: [{ path: 'a.md' }],
            total: 1,
          });
          expect(await page('list_folder', { folder: 'sub' })).toMatchObject({
            folders: [{ path: 'sub/deep', notes: 1 }],
            notes: [{ path: 'sub/b.md' }],
          });
          const gardener = await agent('gardener');
          await gardener.call('update_node', { id: 'a.md', append: 'more' });
          const { events } = await page('page_history', { path: 'a.md' });
          expect(events[0]).toMatchObject({ agent: 'gardener', change: 'edited', path: 'a.md' });
          const { files } = await page('activity_diff', { id: events[0].id });
          expect(files[0].diff.added).toBeGreaterThan(0);
          vault.write('nowhere.md', 'now it is');
          await waitFor(async () => (await page('read_page', { path: 'nowhere.md' }).catch(() => null))?.backlink_count === 1);
        }),
    );
  });
});
