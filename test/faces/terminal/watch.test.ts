import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { CTRL_C, hasTerminal, inTerminal } from '../../support/program/terminal.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const notes = { '.rouxrc.json': '{"filenames": "title"}', 'a.md': '---\nstate: open\n---\nripe tomato\n', 'b.md': 'b\n' };

interface Watching {
  readonly out: () => string;
  readonly err: () => string;
  /** Waits until that has been printed. */
  readonly prints: (text: string) => Promise<unknown>;
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** As a reader that goes away. */
  readonly closePipe: () => Promise<number | null>;
}

async function watching(vault: TestVault, words: readonly string[], run: (watching: Watching) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [program, ...words, '--watch'], {
    cwd: vault.root,
    env: testEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const status = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  try {
    await run({
      out: () => out,
      err: () => err,
      prints: (text) => waitFor(() => out.includes(text), { what: `${JSON.stringify(text)} in the output` }),
      end(signal) {
        child.kill(signal);
        return status;
      },
      closePipe() {
        child.stdout.destroy();
        return status;
      },
    });
  } finally {
    child.kill('SIGKILL');
    await status;
  }
}

describe('issue 11.8: --watch', () => {
  it('list prints one line of JSON for each change of the answer, and ends with 0 on Ctrl-C', () =>
    withVault(notes, (vault) =>
      watching(vault, ['list', '--where', 'state == "open"', '--json'], async ({ out, prints, end }) => {
        await prints('\n');
        vault.write('c.md', '---\nstate: open\n---\n');
        await prints('c.md');
        // What the query does not ask for is no change of the answer.
        vault.write('b.md', 'other text\n');
        vault.write('a.md', '---\nstate: done\n---\n');
        await waitFor(() => out().split('\n').length === 4);
        const lines = out()
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { nodes: { id: string }[] }).nodes.map(({ id }) => id));
        expect(lines).toEqual([['a.md'], ['a.md', 'c.md'], ['c.md']]);
        expect(await end('SIGINT')).toBe(0);
        expect(vault.exists('.roux')).toBe(false);
      }),
    ));

  it('search prints a block for each change, and says when nothing is left', () =>
    withVault(notes, (vault) =>
      watching(vault, ['search', 'ripe'], async ({ out, err, prints, end }) => {
        await prints('ripe tomato');
        vault.write('c.md', 'ripe plum\n');
        await prints('ripe plum');
        expect(out()).toContain('\n\n');
        vault.remove('c.md');
        vault.write('a.md', 'green\n');
        await waitFor(() => err().includes('Nothing found.'));
        expect(await end('SIGTERM')).toBe(0);
      }),
    ));

  it('ends with 0 when nobody reads any more, and writes nothing into the vault, whatever a person renames', () =>
    withVault({ ...notes, 'link.md': '[[a]]\n' }, (vault) =>
      watching(vault, ['list', '--template', '{{path}}'], async ({ prints, closePipe }) => {
        await prints('b.md');
        vault.write('moved/a.md', vault.read('a.md'));
        vault.remove('a.md');
        await prints('moved/a.md');
        const ended = closePipe();
        vault.write('d.md', 'd\n');
        expect(await ended).toBe(0);
        expect(vault.read('link.md')).toBe('[[a]]\n');
        expect(vault.exists('.roux')).toBe(false);
      }),
    ));

  it('refuses a bad query at once', () =>
    withVault(notes, (vault) =>
      watching(vault, ['list', '--where', 'state =='], async ({ err, end }) => {
        await waitFor(() => err().includes('where'));
        expect(await end('SIGINT')).toBe(2);
      }),
    ));

  it.skipIf(!hasTerminal)('draws the screen anew on a terminal, and Ctrl-C leaves with 0', () =>
    withVault({ ...notes, ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at + 10}.md`, 'x\n'])) }, (vault) =>
      inTerminal([process.execPath, program, 'list', '--watch'], { cwd: vault.root }, async (terminal) => {
        await terminal.shows('\u001B[H\u001B[2J');
        await terminal.shows('more lines');
        vault.write('a1.md', 'new\n');
        await terminal.shows('a1.md');
        expect(terminal.text().split('\u001B[2J')).toHaveLength(3);
        terminal.type(CTRL_C);
        expect(await terminal.ended()).toBe(0);
      }),
    ),
  );
});
