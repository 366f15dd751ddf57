import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findHits } from '../../../src/faces/cli/excerpt.ts';
import { createProgress } from '../../../src/faces/cli/progress.ts';
import { createTerminal, widthOf } from '../../../src/faces/cli/terminal.ts';
import { excerptLine } from '../../../src/faces/cli/excerpt.ts';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const notes = {
  '.rouxrc.json': '{"filenames": "title"}',
  'Compost Heap.md': `${'Some words before it. '.repeat(20)}\nThe tomato likes it. See [[Tomato Plant]], and [[Tomato Plant]] again.\n`,
  'Tomato Plant.md': '---\nrelated: "[[Compost Heap]]"\n---\nRed.\n',
  'notes/x.md': 'x\n',
};

describe('item 24: words of a command line', () => {
  it('are joined: no word of a title or a query is the vault, though a folder bears its name', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli(args, { cwd: vault.root });
      expect(await run('create', 'My', 'notes')).toMatchObject({ status: 0, stdout: 'My notes.md\n' });
      expect(vault.exists('notes/.roux')).toBe(false);
      expect(await run('get', 'Tomato', 'Plant')).toMatchObject({ status: 0 });
      expect((await run('search', 'likes', 'tomato', '--json')).stdout).toContain('Compost Heap.md');
      expect(await run('history', 'My', 'notes')).toMatchObject({ status: 0 });
      expect(await run('update', 'My', 'notes', '--content', 'new')).toMatchObject({ status: 0 });
      expect(await run('delete', 'My', 'notes')).toMatchObject({ status: 0 });
      expect(await run('restore', 'My', 'notes.md')).toMatchObject({ status: 0 });
      expect(vault.exists('My notes.md')).toBe(true);
    }));

  it('are refused, and nothing is written, where it is not clear to which argument they belong, or where a folder is one', () =>
    withVault(notes, (vault) =>
      withVault({ 'a.md': 'A\n' }, async (other) => {
        const run = (...args: string[]) => cli(args, { cwd: vault.root });
        const before = vault.files();
        for (const args of [
          ['rename', 'Tomato', 'Plant', 'Best'],
          ['move', 'Tomato', 'Plant', 'notes'],
          ['path', 'Tomato', 'Plant', 'Compost'],
        ]) {
          const refused = await run(...args);
          expect(refused, args.join(' ')).toMatchObject({ status: 2, stdout: '' });
          expect(refused.stderr).toContain('put several words in quotes');
        }
        for (const args of [['create', 'New'], ['hubs'], ['search', 'x'], ['get', 'a']]) {
          const refused = await run(...args, other.root);
          expect(refused, args.join(' ')).toMatchObject({ status: 2, stdout: '' });
          expect(refused.stderr).toContain('--vault');
        }
        expect((await run('tags', 'soil')).stderr).toContain('takes no arguments, but got soil');
        expect([vault.files(), other.list('.')]).toEqual([before, ['a.md']]);
      }),
    ));

  it('O-02 a second vault is refused where a command works on one, however they are named, and nothing is written', () =>
    withVault(notes, (vault) =>
      withVault({ 'a.md': 'A\n' }, async (other) => {
        const before = vault.files();
        for (const args of [
          ['create', 'New', '--vault', other.root, '--vault', vault.root],
          ['search', 'x', `--vault=${other.root}`, '--vault', vault.root],
          ['token', '--vault', other.root, '--vault', vault.root],
          ['doctor', other.root, '--vault', vault.root],
        ]) {
          const refused = await cli(args, { cwd: vault.root });
          expect(refused, args.join(' ')).toMatchObject({ status: 2, stdout: '' });
          expect(refused.stderr).toContain(`${args[0]} works on one vault, but 2 are named; run it once for each`);
        }
        expect([vault.files(), other.list('.')]).toEqual([before, ['a.md']]);
      }),
    ));

  it('O-02 the one vault of a command may have a name that begins with a dash', () =>
    withVault({ '-x/a.md': 'A\n' }, async ({ root }) => {
      expect(await cli(['get', 'a', '--vault', '-x'], { cwd: root })).toMatchObject({ status: 0, stdout: 'A\n' });
    }));

  it('name a vault only with mcp, serve, init and doctor, and never a folder of one that is none itself', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli(args, { cwd: vault.root });
      expect((await run('doctor', vault.root, '--json')).status).toBe(0);
      for (const args of [
        ['doctor', 'notes'],
        ['init', 'notes'],
        ['mcp', 'notes'],
        ['serve', 'notes', '--port', '0'],
        ['create', 'X', '--vault', 'notes'],
      ]) {
        const refused = await run(...args);
        expect(refused, args.join(' ')).toMatchObject({ status: 2, stdout: '' });
        expect(refused.stderr).toContain('is a folder of the vault');
      }
      expect(vault.list('notes')).toEqual(['x.md']);
      vault.write('notes/.rouxrc.json', '{}');
      expect(await run('get', 'x', '--vault', 'notes')).toMatchObject({ status: 0, stdout: 'x\n' });
    }));

  it('say which note of a path there is not, and which command was meant', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli(args, { cwd: vault.root });
      expect(await run('path', 'Compost Heap', 'nope')).toEqual({
        status: 1,
        stdout: '',
        stderr: 'roux path: There is no note "nope". "roux search" finds it.\n',
      });
      expect((await run('path', 'nix', 'Compost Heap')).stderr).toContain('There is no note "nix"');
      expect(await run('path', 'x', 'Compost Heap')).toMatchObject({ status: 1, stderr: 'There is no path.\n' });
      for (const [wrong, right] of [
        ['srch', 'search'],
        ['serach', 'search'],
        ['bcklinks', 'backlinks'],
        ['unresolvd', 'unresolved'],
      ]) {
        const { status, stderr } = await run(wrong ?? '');
        expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`did you mean "${right}"?`) });
      }
      expect((await run('xyzzy')).stderr).not.toContain('did you mean');
    }));

  it('--offset goes on where an answer tells of it', () =>
    withVault(Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`n${at}.md`, 'apple\n'])), async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      const first = await run('search', 'apple', '-n', '2');
      expect(first.stderr).toContain('Use --offset 2 for more.');
      const seen = [first, await run('search', 'apple', '-n', '2', '--offset', '2'), await run('search', 'apple', '--offset', '4')];
      expect(seen.flatMap(({ stdout }) => stdout.match(/n\d\.md/g))).toHaveLength(5);
      expect(new Set(seen.flatMap(({ stdout }) => stdout.match(/n\d\.md/g))).size).toBe(5);
      expect(seen[2]?.stderr).toBe('');
    }));
});

describe('item 24: what a terminal shows', () => {
  it('backlinks come by note, each with its line', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      const line = '  2: The tomato likes it. See [[Tomato Plant]], and [[Tomato Plant]] again.\n';
      expect((await run('backlinks', 'Tomato', 'Plant')).stdout).toBe(`Compost Heap  Compost Heap.md\n${line}${line}`);
      expect((await run('backlinks', 'Compost Heap')).stdout).toBe('Tomato Plant  Tomato Plant.md\n  2: related: "[[Compost Heap]]"\n');
      expect(JSON.parse((await run('backlinks', 'Compost Heap', '--json')).stdout)).toMatchObject([
        { from: 'Tomato Plant.md', title: 'Tomato Plant', property: 'related', line: 2, text: 'related: "[[Compost Heap]]"' },
      ]);
    }));

  it('a snippet shows the hit, and highlights it on a terminal only', () =>
    withVault(notes, async (vault) => {
      const piped = await cli(['search', 'likes', '--vault', vault.root]);
      expect(piped.stdout).toContain('The tomato likes it');
      expect(piped.stdout).not.toContain('\u001b');
      const shown = await cli(['search', 'likes', '--vault', vault.root], { isTerminal: true, columns: 40, env: { NO_COLOR: '' } });
      expect(shown.stdout).toContain('\u001b[1m\u001b[33mlikes\u001b[39m\u001b[22m');
      const plain = await cli(['search', 'likes', '--vault', vault.root], { isTerminal: true, columns: 40 });
      expect(plain.stdout).toContain('likes');
      expect(plain.stdout).not.toContain('\u001b[');
    }));

  it.each([40, 60, 100])('search, hubs, backlinks and tree fit %d columns, wide characters too', (columns) =>
    withVault({}, async (vault) => {
      const long = '一个非常长的标题用来看看它是不是太宽了一个非常长的标题 🎉🎉';
      vault.write('.rouxrc.json', '{}');
      vault.write(`folder/of a long name/${long}.md`, `苹果 apple ${'前面有很多字。'.repeat(40)} 看 [[x]] ⚠️⚠️ ${'text '.repeat(50)}\n`);
      vault.write('x.md', 'apple\n');
      const outline = `# Garden\n\n- ${long}\n${['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'].map((name, at) => `${'  '.repeat(at + 1)}- ${name} ${long}`).join('\n')}\n`;
      expect(await cli(['plan', '--vault', vault.root], { stdin: outline })).toMatchObject({ status: 0 });
      const how = { isTerminal: true, columns };
      for (const args of [['search', 'apple'], ['search', '苹果'], ['hubs'], ['backlinks', 'x'], ['orphans'], ['tree']]) {
        const { status, stdout } = await cli([...args, '--vault', vault.root], how);
        expect(status, args.join(' ')).toBe(0);
        const wide = stdout.split('\n').filter((line) => widthOf(line) > columns);
        expect(wide, args.join(' ')).toEqual([]);
      }
    }),
  );

  it.each([40, 80, 120])('help fits %d columns, and is what it was where there is no terminal', async (columns) => {
    for (const args of [['help'], ['plan', '--help'], ['init', '--help'], ['key', '--help']]) {
      const shown = await cli(args, { isTerminal: true, columns });
      expect(
        shown.stdout.split('\n').filter((line) => widthOf(line) > columns),
        args.join(' '),
      ).toEqual([]);
      const words = (text: string): readonly string[] => text.split(/\s+/);
      expect(words(shown.stdout)).toEqual(words((await cli(args)).stdout));
    }
  });

  it('a piece of a line keeps its hit, whole characters and the width that there is', () => {
    const { paint, show } = createTerminal({}, {});
    const texts = [
      'a '.repeat(100) + 'needle' + ' b'.repeat(100),
      '字'.repeat(50) + 'needle' + '🎉'.repeat(50),
      `${'x'.repeat(200)}needle`,
      'needle',
    ];
    for (const text of texts) {
      for (const columns of [12, 20, 40, 80]) {
        const line = show(excerptLine(text, { hits: findHits(text, 'needle', { isExact: true }), columns, paint }));
        expect(line).toContain('needle');
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/\p{Surrogate}/u);
      }
    }
    expect(findHits('Crème brûlée', 'creme -none tag:x "brulee"', { isExact: false })).toEqual([
      { start: 0, end: 5 },
      { start: 6, end: 12 },
    ]);
    expect(findHits('snow now', 'now', { isExact: false })).toEqual([{ start: 5, end: 8 }]);
  });

  it('progress is one line on a terminal, from one second on, and is taken back', async () => {
    const written: string[] = [];
    const progress = createProgress({ write: (text) => written.push(text), columns: 40 });
    let notesRead = 1234;
    const state = () =>
      Promise.resolve({
        isReady: notesRead > 2000,
        isThere: true,
        notes: notesRead,
        search: 'off' as const,
        meaning: { state: 'off', done: 0 } as const,
        held: null,
        work: 0,
        warnings: [],
      });
    let resolve: (text: string) => void = () => undefined;
    const promise = new Promise<string>((done) => (resolve = done));
    const work = progress.during({ state }, promise);
    await waitFor(() => written.length > 0, { what: 'the progress' });
    expect(written[0]).toBe('\r\u001b[KReading the vault: 1,234 notes …');
    notesRead = 30_000;
    await waitFor(() => written.at(-1)?.includes('30,000 notes read, at work for') === true, { what: 'the work' });
    resolve('done');
    expect(await work).toBe('done');
    expect(written.at(-1)).toBe('\r\u001b[K');
    const quick: string[] = [];
    await createProgress({ write: (text) => quick.push(text) }).during({ state }, Promise.resolve());
    expect(quick).toEqual([]);
  });
});

it('a vault may be inside of a folder that holds one, as long as it is marked', () =>
  withVault({ '.rouxrc.json': '{}' }, async (vault) => {
    mkdirSync(vault.path('inner/.obsidian'), { recursive: true });
    expect(await cli(['create', 'X', '--vault', vault.path('inner')])).toMatchObject({ status: 0 });
    expect(vault.exists('inner/X.md')).toBe(true);
  }));

it('content that begins with a dash is asked for in the form that takes it, and taken so', () =>
  withVault({ '.rouxrc.json': '{}' }, async (vault) => {
    const refused = await cli(['create', 'X', '--content', '---\nk: 1\n---\n', '--vault', vault.root]);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("what follows --content begins with a dash; write --content='-…'"),
    });
    expect(await cli(['create', 'X', '-d', '--x', '--vault', vault.root])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("what follows -d begins with a dash; write --directory='-…'"),
    });
    expect(vault.files()).toEqual(['.rouxrc.json']);
    expect(await cli(['create', 'X', '--content=---\nk: 1\n---\n', '--vault', vault.root])).toMatchObject({ status: 0 });
    expect(vault.read('x.md')).toContain('k: 1\n');
    expect(await cli(['list', '-s', '-title', '--vault', vault.root])).toMatchObject({ status: 0 });
  }));
