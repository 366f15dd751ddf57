import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { quotedWord, shellWord } from '../../../src/faces/cli/shell-word.ts';
import { cli } from '../../support/program/cli.ts';
import { lookAt } from '../../support/outside.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

interface Twice {
  readonly status: number | null;
  readonly stdout: string;
  readonly server: { readonly command: string; readonly args: readonly string[] };
}

/** Sets the vault up for a client, twice: the second time nothing may change. Gives what the first one said. */
async function initTwice(vault: TestVault, client: string): Promise<Twice> {
  const first = await cli(['init', vault.root, '--client', client]);
  const after = lookAt(vault.root);
  const second = await cli(['init', vault.root, '--client', client, '--json']);
  expect(lookAt(vault.root)).toEqual(after);
  const { written, server } = JSON.parse(second.stdout);
  expect(written).toEqual([]);
  return { status: first.status, stdout: first.stdout, server };
}

describe('roux init in a configuration that people wrote', () => {
  it('F49 adds its lines and leaves every other byte', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const before =
        '\uFEFF{\r\n\t// mine\r\n\t"n": 12345678901234567890,\r\n\t"servers": {\r\n\t\t/* one */ "other": {"command":"x"} // about other\r\n\t\t// "off": {},\r\n\t},\r\n}';
      vault.write('.vscode/mcp.json', before);
      const { status, stdout, server } = await initTwice(vault, 'vscode');
      expect(status).toBe(0);
      expect(stdout).toContain('wrote .vscode/mcp.json\n');
      const entry = JSON.stringify({ type: 'stdio', command: server.command, args: server.args }, null, '\t').replaceAll('\n', '\r\n\t\t');
      expect(vault.read('.vscode/mcp.json')).toBe(before.replace(' // about other', `, // about other\r\n\t\t"roux": ${entry}`));
    }));

  it('F49 leaves what it is not sure of, and prints what to add', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const cases: readonly (readonly [before: string | Uint8Array, reason: string])[] = [
        ['{"mcpServers": []}', '"mcpServers" in it is no object'],
        ['{"a": 1', 'not valid JSON'],
        ['['.repeat(100_000), 'nested too deeply'],
        [`{"a": "${'x'.repeat(2 ** 20)}"}`, 'larger than roux takes'],
        [Buffer.from('\uFEFF{"mcpServers": {}}', 'utf16le'), 'not in UTF-8'],
        [Buffer.from('{"mcpServers": {}} // caf\u00e9', 'latin1'), 'not in UTF-8'],
      ];
      for (const [before, reason] of cases) {
        vault.write('.mcp.json', before);
        const { status, stdout } = await cli(['init', vault.root, '--client', 'claude']);
        expect({ reason, status }).toEqual({ reason, status: 1 });
        expect(stdout).toContain('left .mcp.json as it is: ');
        expect(stdout).toContain(reason);
        expect(stdout).toContain(`        "${vault.root}"\n`);
        // One by one, as `toEqual` does it, a megabyte of bytes takes seconds.
        expect(vault.readBytes('.mcp.json').equals(Buffer.from(before))).toBe(true);
      }
    }));

  it('F49 leaves an entry "roux" that somebody wrote, says that it is another one, and prints its own', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const own =
        '{\n  "mcpServers": {\n    "roux": { "command": "sh", "args": ["-c", "touch evil"], "env": { "ROUX_AGENT": "me" } } // mine\n  }\n}\n';
      vault.write('.mcp.json', own);
      const { status, stdout } = await initTwice(vault, 'claude');
      expect(status).toBe(1);
      expect(stdout).toContain('left .mcp.json as it is: it has an entry "roux" already, which is not the one below');
      expect(stdout).toContain(`"${vault.root}"`);
      expect(vault.read('.mcp.json')).toBe(own);
      vault.remove('.mcp.json');
      await cli(['init', vault.root, '--client', 'claude']);
      const { roux } = JSON.parse(vault.read('.mcp.json')).mcpServers;
      // The same in another layout and order is the same.
      vault.write(
        '.mcp.json',
        `{"mcpServers":{"roux":{"args":${JSON.stringify(roux.args)}, "command":${JSON.stringify(roux.command)}}}} // ok`,
      );
      expect(await cli(['init', vault.root, '--client', 'claude'])).toMatchObject({
        status: 0,
        stdout: 'Everything was in place already.\n',
      });
    }));
});

/** What a shell makes of a printed command line: its words. */
function wordsOf(line: string): readonly string[] {
  const { stdout } = spawnSync('sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], { cwd: '/', encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

/** What a terminal would act upon instead of showing it. */
const HIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

describe('words of a command line', () => {
  it('are what a shell takes them for, and nothing that a terminal acts upon', () => {
    const texts = [
      'plain/path.js',
      'with space',
      "it's",
      'a"b',
      '$(touch marker)',
      '`touch marker`',
      '$HOME',
      'a;b&c|d',
      'back\\slash',
      '%s%n',
      '#hash',
      '~',
      '*',
      '!x',
      '',
      'a\u00e9 \u65e5\u672c',
      'line\nend',
      'tab\tbell\u0007',
      '\u001b[31mred',
      '\u202eltr\u009b',
      'a\r\n\'"\\%\u007f',
    ];
    const line = texts.map(shellWord).join(' ');
    expect(line).not.toMatch(HIDDEN);
    expect(wordsOf(line)).toEqual(texts);
    expect(shellWord('plain/path.js')).toBe('plain/path.js');
    expect(wordsOf(quotedWord('/a\n\n'))).toEqual(['/a\n\n/']);
  });
});

describe('a vault whose folder has a name of any kind', () => {
  const NAMES = [`it's "one" $(touch marker) \`touch marker\` $HOME;&|* \\ %s`, 'line\nend\n', '\u001b[31m\t\u0007\u202e'];

  it('gets commands that can be copied into a shell', () =>
    withVault({}, async (vault) => {
      for (const name of NAMES) {
        const root = vault.path(name);
        mkdirSync(root, { recursive: true });
        const { status, stdout } = await cli(['init', root]);
        expect({ name, status }).toEqual({ name, status: 0 });
        expect(stdout.replaceAll('\n', '')).not.toMatch(HIDDEN);
        const [, line = ''] = /^ {2}(\S.*)$/m.exec(stdout) ?? [];
        const [node, program, mcp, given = ''] = wordsOf(line);
        expect([node, mcp, given.replace(/\n\/$/, '\n')]).toEqual([process.execPath, 'mcp', root]);
        expect(program).toMatch(/bin\.js$/);
        expect(stdout).toContain(`claude mcp add roux -- ${line}\n`);
        const toml = (await cli(['init', root, '--client', 'codex'])).stdout;
        expect(toml.replaceAll('\n', '')).not.toMatch(HIDDEN);
        const [, args = ''] = /^args = (\[.*\])$/m.exec(toml) ?? [];
        expect(JSON.parse(args)[2]).toBe(root);
        expect((await cli(['init', root, '--client', 'claude'])).status).toBe(0);
        expect(JSON.parse(vault.read(`${name}/.mcp.json`)).mcpServers.roux.args[2]).toBe(root);
      }
      expect(vault.list('.')).toEqual([...NAMES].sort());
    }));

  it.each([
    ['${HOME}', 'claude'],
    ['${workspaceFolder}', 'cursor'],
    ['${env:HOME}', 'vscode'],
    ['$HOME', 'gemini'],
    ['{env:HOME}', 'opencode'],
  ])('is not written where the client would take it for a variable: %s, %s', (name, client) =>
    withVault({}, async (vault) => {
      mkdirSync(vault.path(name));
      const before = ['.gitattributes', '.roux', '.rouxrc.json'];
      const { status, stdout } = await cli(['init', vault.path(name), '--client', client]);
      expect(status).toBe(1);
      expect(stdout).toContain('for a variable, so that it would start something else; give that folder another name');
      expect(vault.list(name)).toEqual(before);
    }),
  );
});
