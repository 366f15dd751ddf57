import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliProcess } from '../../support/program/cli.ts';
import type { CliResult } from '../../support/program/cli.ts';
import { sample } from '../../support/effort.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

/** What somebody may put where a file of settings belongs. */
const KINDS = [
  'a FIFO',
  'a folder',
  'a link outside',
  'a link inside',
  'a link to nothing',
  'a link to a device',
  'two megabytes',
] as const;

function put(vault: TestVault, path: string, kind: (typeof KINDS)[number], outside: string): void {
  const at = vault.path(path);
  rmSync(at, { recursive: true, force: true });
  mkdirSync(dirname(at), { recursive: true });
  switch (kind) {
    case 'a FIFO':
      return void execFileSync('mkfifo', [at]);
    case 'a folder':
      return mkdirSync(at);
    case 'a link outside':
      return symlinkSync(join(outside, 'private.json'), at);
    case 'a link inside':
      vault.write('inside.json', '{"mcpServers": {}}');
      return symlinkSync(vault.path('inside.json'), at);
    case 'a link to nothing':
      return symlinkSync(join(outside, 'made'), at);
    case 'a link to a device':
      return symlinkSync('/dev/zero', at);
    case 'two megabytes':
      return writeFileSync(at, `{"x": "${'y'.repeat(2 * 1024 * 1024)}"}`);
  }
}

/** Runs with a folder outside of the vault that has to stay as it is. */
async function withOutside(run: (vault: TestVault, outside: string) => Promise<void>): Promise<void> {
  const outside = mkdtempSync(join(tmpdir(), 'roux-outside-'));
  try {
    writeFileSync(join(outside, 'private.json'), '{"secret": true}');
    await withVault({ 'a.md': 'A\n' }, (vault) => run(vault, outside));
    expect(readdirSync(outside)).toEqual(['private.json']);
    expect(readFileSync(join(outside, 'private.json'), 'utf8')).toBe('{"secret": true}');
  } finally {
    rmSync(outside, { recursive: true });
  }
}

/** Each kind with another part of the commands and paths. */
const TURNS = KINDS.map((kind, turn) => ({ kind, turn }));
const COMMANDS = [['get', 'a'], ['mcp'], ['serve', '--port', '0'], ['init']];
const PATHS = ['.obsidian/app.json', '.obsidian', '.git', '.git/HEAD', '.git/index', '.git/logs/HEAD', '.gitignore'];

/** Runs the built program, so that a run that hangs can be told as one. */
async function soon(args: readonly string[], cwd?: string): Promise<CliResult> {
  const late = new Promise<CliResult>((resolve) => {
    setTimeout(() => resolve({ status: null, stdout: '', stderr: 'it hangs' }), 20_000).unref();
  });
  return Promise.race([cliProcess(args, cwd === undefined ? {} : { cwd }), late]);
}

describe('files that are read by their name in a vault from anywhere', () => {
  it.each(TURNS)('F28 .rouxrc.json as $kind is an error in every command, which waits for nothing and follows nothing', ({ kind, turn }) =>
    withOutside(async (vault, outside) => {
      put(vault, '.rouxrc.json', kind, outside);
      for (const command of sample(COMMANDS, 4, turn)) {
        const { status, stdout, stderr } = await soon([...command, '--vault', vault.root]);
        expect({ command, status, stdout, stderr }).toMatchObject({ status: 2, stdout: '' });
        expect(stderr).toMatch(/: \.rouxrc\.json (is a symbolic link|is not a regular file|is larger than 1024 KB)/);
        expect(stderr).not.toContain(outside);
      }
    }),
  );

  it.each(TURNS)('F28 .obsidian/app.json, .git, its HEAD and its index as $kind are no settings, and stop nothing', ({ kind, turn }) =>
    withOutside(async (vault, outside) => {
      for (const path of sample(PATHS, 7, turn)) {
        put(vault, path, kind, outside);
        expect(await soon(['create', `Note of ${path.replaceAll('/', ' ')}`, '--vault', vault.root]), path).toMatchObject({ status: 0 });
        rmSync(vault.path(path.split('/')[0] ?? ''), { recursive: true, force: true });
      }
    }),
  );

  it('F46 a lock of git from the future, or in a folder that .git names, keeps nobody from writing', () =>
    withVault({ 'a.md': 'A\n', '.git/HEAD': 'ref: refs/heads/main\n', '.git/index.lock': '' }, async (vault) => {
      const future = new Date(Date.now() + 3_600_000);
      utimesSync(vault.path('.git/index.lock'), future, future);
      expect(await soon(['create', 'One', '--vault', vault.root])).toMatchObject({ status: 0 });
      vault.remove('.git');
      const folders = [
        '/dev',
        '/proc/self/fd',
        '../../../..',
        '//host.invalid/share',
        '\\\\host.invalid\\share',
        'x'.repeat(4000),
        '.',
        'a.md',
      ];
      for (const gitdir of sample(folders, 3)) {
        vault.write('.git', `gitdir: ${gitdir}\n`);
        expect(await soon(['update', 'one', '--content', gitdir.slice(0, 9), '--vault', vault.root]), gitdir).toMatchObject({ status: 0 });
      }
      vault.write('.git', 'gitdir: '.repeat(200_000));
      expect(await soon(['update', 'one', '--content', 'x', '--vault', vault.root])).toMatchObject({ status: 0 });
    }));

  it('F28 a server meets them while it runs, too', () =>
    withOutside((vault, outside) =>
      withMcp(vault, async ({ ask }) => {
        for (const kind of KINDS) {
          for (const path of ['.obsidian/app.json', '.git', '.rouxrc.json']) put(vault, path, kind, outside);
          await ask('update_node', { id: 'a', content: kind });
          expect((await ask('get_node', { id: 'a' })).content).toBe(kind);
        }
      }),
    ));
});
