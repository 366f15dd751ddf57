import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { commandNames } from '../../../src/faces/cli/command-list.ts';
import { sample } from '../../support/effort.ts';
import { cli, cliProcess, program, testEnvironment } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

/** A command line of each command that ends by itself; `mcp` and `serve` have tests of their own that drive their process. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  init: ['--client', 'cursor'],
  publish: ['--all', '--out', '.site'],
  search: ['green'],
  get: ['Tomato Plant', '--json'],
  list: ['--where', 'file.hasTag("soil")', '--fields', 'file.mtime.format("YYYY")'],
  base: ['Nothing'],
  links: ['Compost Heap'],
  backlinks: ['Tomato Plant'],
  unresolved: [],
  orphans: ['--json'],
  deadends: [],
  tags: [],
  path: ['Tomato Plant', 'Compost Heap'],
  hubs: [],
  prime: [],
  duplicates: [],
  related: ['Tomato Plant'],
  create: ['New', '--content', '-'],
  append: ['Tomato Plant', 'Ripe.'],
  edit: ['Tomato Plant', '--json'],
  completion: ['fish'],
  new: ['New'],
  today: ['Words'],
  update: ['Tomato Plant', '--set', '{"ripe": true}'],
  rename: ['Tomato Plant', 'Best Tomato'],
  move: ['Tomato Plant', 'plants'],
  confirm: ['Tomato Plant', '--until', '2999-01-31'],
  delete: ['Tomato Plant'],
  next: ['--project', 'shed'],
  plan: ['outline.txt', '--project', 'shed'],
  done: ['t_none'],
  tree: ['--project', 'shed'],
  tasks: ['log', '--since', '2026-01-05'],
  restore: [],
  stats: ['--json'],
  history: ['Tomato Plant'],
  undo: ['01hzzzzzzzzzzzzzzzzzzzzzzz'],
  import: ['-'],
  export: ['--format', 'graphml'],
  key: ['file', 'src/a.ts'],
  ingest: ['-', '--reference-time', '2026-01-05'],
  facts: ['soil'],
  timeline: ['Tomato Plant'],
  review: ['--since', '2026-01-05'],
  audit: [],
  check: ['--json'],
  doctor: [],
  okf: ['check'],
  fsck: [],
  git: ['install'],
  share: ['--status'],
  clone: ['nowhere'],
  unshare: [],
  trust: ['--list'],
  'merge-driver': ['Lonely Note.md', 'Lonely Note.md', 'Tomato Plant.md'],
};

const notes = {
  'Compost Heap.md': 'Green and brown. See [[Tomato Plant]] and [[Nowhere]].\n',
  'Tomato Plant.md': '---\ntags: [soil]\n---\nRed.\n',
  'Lonely Note.md': 'alone\n',
};

/** What a command line answered and left in the notes, without what is another one each time. */
async function outcomeOf(vault: TestVault, run: typeof cli, name: string): Promise<unknown> {
  const args = [name, ...(LINES[name] ?? [])];
  const { status, stdout, stderr } = await run(args, { cwd: vault.root, env: { ROUX_VAULT: vault.root }, stdin: 'from stdin\n' });
  const steady = (text: string): string =>
    text
      .replaceAll(vault.root, 'VAULT')
      .replaceAll(basename(vault.root), 'NAME')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/g, 'TIME')
      .replaceAll(/(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}\b/g, 'ID')
      // What of an episode is made of its id and of this user's secret.
      .replaceAll(/-[0-9a-f]{8}\.md$|(?<=mark: )[0-9a-f]{32}/g, 'HASH');
  return {
    args,
    status,
    stdout: steady(stdout),
    stderr: steady(stderr),
    files: vault.files().map((file) => [steady(file), steady(vault.read(file))]),
  };
}

// An editor that ends by itself.
beforeEach(() => void vi.stubEnv('VISUAL', 'true'));
afterEach(() => void vi.unstubAllEnvs());

it('every command has a line here', () => {
  // These serve, or tell of this machine alone.
  const others = new Set(['mcp', 'serve', 'demo', 'token']);
  expect(Object.keys(LINES).toSorted()).toEqual(commandNames.filter((name) => !others.has(name)).toSorted());
});

it.each(sample(Object.keys(LINES), 3))('roux %s answers from the built program as it does in the process of the tests', (name) =>
  withVault(notes, (one) =>
    withVault(notes, async (two) => {
      const built = await outcomeOf(one, cliProcess, name);
      expect(built).toMatchObject({ status: expect.any(Number) });
      expect(built).toEqual(await outcomeOf(two, cli, name));
    }),
  ),
);

it.skipIf(!existsSync('/dev/full'))('what cannot be printed is a failure: a file on a full disk would be taken for whole', () =>
  withVault(notes, (vault) => {
    const full = openSync('/dev/full', 'w');
    try {
      const run = spawnSync(process.execPath, [program, 'list', '--vault', vault.root], {
        env: testEnvironment(),
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      expect(run).toMatchObject({ status: 3, stderr: expect.stringContaining('not all could be printed: ENOSPC') });
    } finally {
      closeSync(full);
    }
  }),
);
