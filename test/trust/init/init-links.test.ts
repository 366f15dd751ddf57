import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, cliProcess, program, testEnvironment } from '../../support/program/cli.ts';
import { lookAt, withOutside } from '../../support/outside.ts';
import { withVault } from '../../support/vault.ts';

interface Place {
  readonly file: string;
  /** A line by which a person knows what to add. */
  readonly added: string;
}

/** What init writes for every client, besides the configuration, which is read before. */
const SHARED: readonly Place[] = [
  { file: '.gitattributes', added: '.roux/history/*.jsonl merge=union' },
  { file: '.roux/.gitignore', added: 'history/keys/' },
  { file: '.roux/.gitattributes', added: 'history/*.jsonl merge=union' },
];

/** What it writes for one. */
const CLIENTS: Readonly<Record<string, Place>> = {
  claude: { file: '.mcp.json', added: '"mcpServers"' },
  cursor: { file: '.cursor/mcp.json', added: '"mcpServers"' },
  vscode: { file: '.vscode/mcp.json', added: '"servers"' },
  gemini: { file: '.gemini/settings.json', added: '"mcpServers"' },
  zed: { file: '.zed/settings.json', added: '"context_servers"' },
  opencode: { file: 'opencode.json', added: '"mcp"' },
};

const clear = (path: string): void => {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
};

const WITHOUT_RIGHTS = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

describe('roux init where something else stands in the place of a file', () => {
  it('F49 follows no link: to a file outside, to one inside, to nothing, to a folder, to what would never end', () =>
    withOutside({ 'a.md': 'A\n', 'inside.json': '{}' }, async (vault, outside) => {
      writeFileSync(outside.path('private.json'), '{"private": true}');
      mkdirSync(outside.path('folder'));
      spawnSync('mkfifo', [outside.path('fifo')]);
      const before = outside.look();
      const targets = [
        ...['private.json', 'nothing', 'folder', 'fifo'].map((name) => outside.path(name)),
        vault.path('inside.json'),
        '/dev/zero',
      ];
      for (const [round, [client, own]] of Object.entries(CLIENTS).entries()) {
        const places = [...SHARED, own];
        for (const [index, { file }] of places.entries()) {
          clear(vault.path(file));
          symlinkSync(targets[(index + round) % targets.length] ?? '', vault.path(file));
        }
        const { status, stdout } = await cliProcess(['init', vault.root, '--client', client]);
        expect({ client, status }).toEqual({ client, status: 1 });
        for (const { file, added } of places) {
          expect(stdout).toContain(`left ${file} as it is: ${file} is a symbolic link`);
          expect(stdout).toContain(added);
        }
        expect(outside.look()).toEqual(before);
        expect(vault.read('inside.json')).toBe('{}');
        rmSync(vault.path(own.file));
      }
    }));

  it('F49 follows no folder on the way that is a link, and enters nothing that is no folder', () =>
    withOutside({ 'a.md': 'A\n', 'inside/mcp.json': '{}' }, async (vault, outside) => {
      for (const name of ['mcp.json', 'settings.json', '.gitignore']) writeFileSync(outside.path(name), '{}');
      const before = outside.look();
      const targets = [outside.root, vault.path('inside'), outside.path('nothing'), null];
      for (const [round, client] of ['cursor', 'vscode', 'gemini', 'zed'].entries()) {
        const places = [...SHARED, CLIENTS[client]].filter((place) => place?.file.includes('/') === true) as readonly Place[];
        for (const folder of new Set(places.map(({ file }) => dirname(file)))) {
          clear(vault.path(folder));
          const target = targets[(round + folder.length) % targets.length] ?? null;
          if (target === null) vault.write(folder, 'a file');
          else symlinkSync(target, vault.path(folder));
        }
        const { status, stdout } = await cli(['init', vault.root, '--client', client]);
        expect({ client, status }).toEqual({ client, status: 1 });
        for (const { file, added } of places) {
          expect(stdout).toMatch(new RegExp(`left ${file} as it is: ${dirname(file)} is (no folder|a symbolic link)`));
          expect(stdout).toContain(added);
        }
        expect(outside.look()).toEqual(before);
        expect(vault.list('inside')).toEqual(['mcp.json']);
      }
    }));

  it('F49 waits for no FIFO, takes no folder for a file, and parts no file from its other names', () =>
    withVault({ 'a.md': 'A\n', 'other-name.json': '{}\n' }, async (vault) => {
      const kinds = ['is no regular file', 'is a folder', 'has other names'];
      for (const [round, client] of ['claude', 'cursor', 'zed'].entries()) {
        const places = [...SHARED, CLIENTS[client] as Place].map((place, index) => ({
          ...place,
          kind: kinds[(index + round) % 3] ?? '',
        }));
        for (const { file, kind } of places) {
          clear(vault.path(file));
          if (kind === 'is no regular file') spawnSync('mkfifo', [vault.path(file)]);
          if (kind === 'is a folder') mkdirSync(vault.path(file));
          if (kind === 'has other names') linkSync(vault.path('other-name.json'), vault.path(file));
        }
        const { status, stdout } = await cliProcess(['init', vault.root, '--client', client]);
        expect({ client, status }).toEqual({ client, status: 1 });
        for (const { file, kind, added } of places) {
          expect(stdout).toContain(`left ${file} as it is: ${file} ${kind}`);
          expect(stdout).toContain(added);
        }
      }
      expect(vault.read('other-name.json')).toBe('{}\n');
    }));

  it('F49 writes the rest, says it to programs too, and does nothing the second time', () =>
    withOutside({ 'a.md': 'A\n' }, async (vault, outside) => {
      symlinkSync(outside.root, vault.path('.cursor'));
      const first = await cli(['init', vault.root, '--client', 'cursor', '--json']);
      expect(first.status).toBe(1);
      expect(JSON.parse(first.stdout)).toMatchObject({
        written: ['.rouxrc.json', '.roux/.gitignore', '.roux/.gitattributes', '.gitattributes'],
        left: [{ file: '.cursor/mcp.json', reason: '.cursor is a symbolic link, and roux follows none here', isFailure: false }],
      });
      expect(JSON.parse(JSON.parse(first.stdout).left[0].add).mcpServers.roux.args.slice(1)).toEqual(['mcp', vault.root]);
      const between = lookAt(vault.root);
      const second = await cli(['init', vault.root, '--client', 'cursor', '--json']);
      expect(JSON.parse(second.stdout)).toMatchObject({ written: [], left: [{ file: '.cursor/mcp.json' }] });
      expect(lookAt(vault.root)).toEqual(between);
      expect(outside.look()).toEqual({});
    }));
});

/** Runs `roux` as somebody whom modes hold off. */
function cliWithoutRights(args: readonly string[]): Promise<{ status: number | null; stdout: string }> {
  const drop = process.getuid?.() === 0 ? WITHOUT_RIGHTS : [];
  const [command = '', ...rest] = [...drop, process.execPath, program, ...args];
  // The vault is another user's then, which is refused unless it is allowed.
  const env = testEnvironment({ HOME: '/nonexistent', ROUX_ALLOW_OTHER_OWNER: '1' });
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout }));
  });
}

// Another user has to reach the program.
const mayDropRights = process.getuid?.() !== 0 || spawnSync('setpriv', [...WITHOUT_RIGHTS.slice(1), 'test', '-r', program]).status === 0;

describe('roux init where it may not write', () => {
  it('leaves a file that is read-only, though its folder would let it be replaced', () =>
    withVault({ 'a.md': 'A\n', '.mcp.json': '{}\n', '.gitattributes': '*.png binary\n' }, async (vault) => {
      for (const file of ['.mcp.json', '.gitattributes']) chmodSync(vault.path(file), 0o444);
      const { status, stdout } = await cli(['init', vault.root, '--client', 'claude']);
      expect(status).toBe(3);
      for (const file of ['.mcp.json', '.gitattributes']) expect(stdout).toContain(`left ${file} as it is: ${file} is read-only`);
      expect([vault.read('.mcp.json'), vault.read('.gitattributes')]).toEqual(['{}\n', '*.png binary\n']);
    }));

  it.skipIf(!mayDropRights)('says for each file what it could not write, and leaves nothing behind', () =>
    withVault({ 'a.md': 'A\n', '.cursor/mcp.json': '{}\n', '.gitattributes': '' }, async (vault) => {
      chmodSync(vault.path('.cursor'), 0o555);
      chmodSync(vault.root, 0o555);
      const before = lookAt(vault.root);
      const { status, stdout } = await cliWithoutRights(['init', vault.root, '--client', 'cursor']);
      chmodSync(vault.root, 0o755);
      expect(status).toBe(3);
      for (const file of ['.rouxrc.json', '.roux/.gitignore', '.gitattributes', '.cursor/mcp.json'])
        expect(stdout).toContain(`left ${file} as it is: ${file} cannot be written: no permission`);
      expect(lookAt(vault.root)).toEqual(before);
    }),
  );

  it('keeps the mode of a file that it changes', () =>
    withVault({ 'a.md': 'A\n', '.mcp.json': '{}\n', '.gitattributes': '*.png binary\n' }, async (vault) => {
      chmodSync(vault.path('.mcp.json'), 0o600);
      chmodSync(vault.path('.gitattributes'), 0o664);
      expect(await cli(['init', vault.root, '--client', 'claude'])).toMatchObject({ status: 0 });
      const modes = ['.mcp.json', '.gitattributes'].map((file) => Number((lookAt(vault.root)[file] ?? '').split(' ')[0]) & 0o777);
      expect(modes).toEqual([0o600, 0o664]);
      expect(vault.list('.').filter((name) => name.endsWith('.tmp'))).toEqual([]);
    }));
});
