import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

const notes = {
  'a.md': '---\nstatus: open\nprice: 3\nsaid: "She said \\"no\\", twice"\n---\n',
  'b.md': '---\nstatus: done\nprice: 12\nlines: "one\\ntwo | three"\n---\n',
  'c.md': '---\nstatus: open\nprice: 7\nlinks: ["[[a]]", "[[b]]"]\n---\n',
  'Prices.base':
    'properties:\n  price:\n    displayName: Price\nviews:\n  - type: table\n    name: Dear ones\n    filters: price > 5\n    order: [file.name, price]\n    sort: [{property: price, direction: DESC}]\n    summaries: {price: Sum}\n  - type: table\n    name: None\n    filters: price > 500\n    order: [price]\n',
};

describe('roux list and roux base', () => {
  it('list notes by expressions, in an order, with fields and in groups', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      expect(await run('list', '--where', 'price > 5', '--sort', 'price desc', '--fields', 'status,price * 2')).toEqual({
        status: 0,
        stdout: 'title  status  price * 2\nb      done    24\nc      open    14\n',
        stderr: '',
      });
      expect((await run('list', '--group-by', 'status', '-f', 'price')).stdout).toBe(
        'title  price\ndone\nb      12\nopen\na      3\nc      7\n',
      );
      expect((await run('list', '--limit', '2')).stdout).toBe('title  id\na      a.md\nb      b.md\n');
      expect((await run('list', '-n', '1', '--offset', '2')).stdout).toBe('title  id\nc      c.md\n');
      expect(await run('list', '--where', 'price > 500')).toEqual({ status: 1, stdout: '', stderr: 'Nothing found.\n' });
      const { stdout } = await run('list', '-w', 'status == "open"', '-f', 'links', '--json');
      expect(JSON.parse(stdout)).toEqual({
        nodes: [
          { id: 'a.md', title: 'a', fields: { links: null } },
          { id: 'c.md', title: 'c', fields: { links: ['[[a]]', '[[b]]'] } },
        ],
        total: 2,
      });
    }));

  it('say where a mistake is', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      const wrong = await run('list', '--where', 'pirce > 5');
      expect(wrong).toMatchObject({ status: 2, stdout: '' });
      expect(wrong.stderr).toContain('where, column 1: no note has a property "pirce"; did you mean "price"?');
      expect((await run('list', '--format', 'cvs')).stderr).toContain('did you mean "csv"');
      expect(await run('base', 'Nothing')).toMatchObject({ status: 1 });
      expect(await run('base')).toMatchObject({ status: 2 });
    }));

  it('print CSV as RFC 4180 has it', () =>
    withVault(notes, async (vault) => {
      const { stdout } = await cli(['list', '--fields', 'said,lines,links', '--format', 'csv', '--vault', vault.root]);
      expect(stdout).toBe('title,said,lines,links\r\na,"She said ""no"", twice",,\r\nb,,"one\ntwo | three",\r\nc,,,"[[a]], [[b]]"\r\n');
    }));

  it('print Markdown', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--format', 'md', '--vault', vault.root]);
      expect((await run('list', '--fields', 'lines', '--where', 'lines')).stdout).toBe(
        '| title | lines |\n| --- | --- |\n| b | one two \\| three |\n',
      );
      expect((await run('list', '--fields', 'price', '--group-by', 'status')).stdout).toBe(
        '### done\n\n| title | price |\n| --- | --- |\n| b | 12 |\n\n### open\n\n| title | price |\n| --- | --- |\n| a | 3 |\n| c | 7 |\n',
      );
    }));

  it('print the rows of a view as the view has them, by names that people gave', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      expect((await run('base', 'Prices')).stdout).toBe('file.name  Price\nb          12\nc          7\nPrice: 19\n');
      expect((await run('base', 'Prices.base', 'dear', 'ones', '--format', 'csv')).stdout).toBe('file.name,Price\r\nb,12\r\nc,7\r\n');
      expect((await run('base', 'Prices', '--where', 'price < 10', '--fields', 'status')).stdout).toContain('c      open');
      expect(await run('base', 'Prices', 'None')).toMatchObject({ status: 1, stdout: '' });
      expect(JSON.parse((await run('base', 'Prices', '--json')).stdout)).toMatchObject({
        base: 'Prices.base',
        view: 'Dear ones',
        total: 2,
      });
    }));

  it('fit a table to the terminal, and show what a terminal would act on', () =>
    withVault({ 'x.md': `---\nlong: ${'word '.repeat(60)}\nescape: "\\u001b[31mred"\n---\n` }, async (vault) => {
      const { stdout } = await cli(['list', '--fields', 'long,escape', '--vault', vault.root], {
        isTerminal: true,
        columns: 60,
        env: { NO_COLOR: '1' },
      });
      expect(stdout).not.toContain('\u001b');
      expect(stdout).toContain('\\x1b[31mred');
      for (const line of stdout.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    }));

  it('print more rows than one answer holds', () =>
    withVault(
      Object.fromEntries(Array.from({ length: 1_300 }, (_, index) => [`n${index}.md`, `---\nx: ${index}\ny: ${'z'.repeat(60)}\n---\n`])),
      async (vault) => {
        const { stdout } = await cli(['list', '--fields', 'x,y', '--sort', 'x', '--format', 'csv', '--vault', vault.root]);
        const lines = stdout.trimEnd().split('\r\n');
        expect(lines.slice(1).map((line) => Number(line.split(',')[1]))).toEqual(Array.from({ length: 1_300 }, (_, index) => index));
      },
    ));
});
