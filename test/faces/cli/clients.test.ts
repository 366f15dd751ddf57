import { chmodSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../../src/faces/cli/serve/clients.ts';
import { clientLines } from '../../../src/faces/cli/serve/client-lines.ts';
import { cli, cliProcess, program, withVariables } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

/** Runs with a home of its own, and `roux` on the path or not. */
function withHome<T>(isNamed: boolean, run: (home: TestVault, env: Record<string, string>) => Promise<T>): Promise<T> {
  return withVault({ 'bin/roux': '#!/bin/sh\n' }, (home) => {
    chmodSync(home.path('bin/roux'), 0o755);
    const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('roux') && !folder.includes('h-cli'));
    const PATH = [...(isNamed ? [home.path('bin')] : []), ...path].join(delimiter);
    return run(home, { HOME: home.root, PATH, XDG_CONFIG_HOME: '', XDG_STATE_HOME: home.path('state') });
  });
}

/** In this process: what a command does does not depend on how it was started, but for the place of the program, which is looked at once. */
const run = (args: readonly string[], env: Readonly<Record<string, string>>) => withVariables(env, () => cli(args));

const rouxIn = (text: string, key: string): { command: string | string[]; args: string[] } => JSON.parse(text)[key].roux;

describe('item 26: roux init --client', () => {
  it('writes no place of this machine into a file of the vault where roux is found by its name', () =>
    withHome(true, (_, env) =>
      withVault({ 'a.md': 'A\n' }, async (vault) => {
        for (const [name, { file }] of Object.entries(CLIENTS)) {
          if (file === null) continue;
          const args = ['init', vault.root, '--client', name];
          expect(await run(args, env), name).toMatchObject({ status: 0 });
          expect(vault.read(file), name).not.toContain(vault.root);
          expect(vault.read(file), name).not.toContain(program);
          expect(await run(args, env)).toMatchObject({ status: 0, stdout: 'Everything was in place already.\n' });
        }
        expect(rouxIn(vault.read('.mcp.json'), 'mcpServers')).toEqual({ command: 'roux', args: ['mcp'] });
        expect(rouxIn(vault.read('.vscode/mcp.json'), 'servers')).toEqual({
          type: 'stdio',
          command: 'roux',
          args: ['mcp', '${workspaceFolder}'],
        });
      }),
    ));

  it('names both by their places where it is not', () =>
    withHome(false, (_, env) =>
      withVault({ 'a.md': 'A\n' }, async (vault) => {
        await cliProcess(['init', vault.root, '--client', 'claude'], { env });
        expect(rouxIn(vault.read('.mcp.json'), 'mcpServers')).toEqual({ command: process.execPath, args: [program, 'mcp', vault.root] });
      }),
    ));

  it.skipIf(process.platform === 'win32').each([
    [
      'claude-desktop',
      process.platform === 'darwin' ? 'Library/Application Support/Claude' : '.config/Claude',
      'claude_desktop_config.json',
    ],
    ['cursor', '.cursor', 'mcp.json'],
    ['windsurf', '.codeium/windsurf', 'mcp_config.json'],
    ['gemini', '.gemini', 'settings.json'],
    ['zed', '.config/zed', 'settings.json'],
    ['opencode', '.config/opencode', 'opencode.json'],
  ])(
    "--user adds to the user's own configuration of %s, with its comments and mark, and writes none in the vault",
    (client, folder, name) =>
      withHome(true, (home, env) =>
        withVault({ 'a.md': 'A\n' }, async (vault) => {
          const file = `${folder}/${name}`;
          home.write(file, '\uFEFF{\n  // mine\n  "other": 1, // about it\n}\n');
          const first = await run(['init', vault.root, '--client', client, '--user'], env);
          expect(first).toMatchObject({ status: 0 });
          expect(first.stdout).toContain(`wrote ~/${file}\n`);
          const text = home.read(file);
          expect(text.startsWith('\uFEFF{\n  // mine\n  "other": 1, // about it\n')).toBe(true);
          expect(text).toContain(vault.root);
          // Desktop programs have a path of their own.
          expect(text.includes(program)).toBe(CLIENTS[client]?.isDesktop === true);
          expect(vault.list('.')).toEqual(['.gitattributes', '.roux', '.rouxrc.json', 'a.md']);
          const again = await run(['init', vault.root, '--client', client, '--user'], env);
          expect(again).toMatchObject({ status: 0, stdout: 'Everything was in place already.\n' });
          home.write(file, '{ broken');
          const left = await run(['init', vault.root, '--client', client, '--user'], env);
          expect(left).toMatchObject({ status: 1, stdout: expect.stringContaining(`left ~/${file} as it is`) });
          expect(left.stdout).toContain('"roux": {');
          expect(home.read(file)).toBe('{ broken');
        }),
      ),
  );

  it('prints the lines where there is no file that it may write', () =>
    withHome(true, (home, env) =>
      withVault({ 'a.md': 'A\n' }, async (vault) => {
        const say = async (...args: string[]) => (await run(['init', vault.root, ...args], env)).stdout;
        // That the vault is trusted is roux's own, and not a client's.
        const listed = (): readonly string[] => home.list('.').filter((name) => name !== 'state');
        const before = listed();
        expect(await say('--client', 'windsurf')).toMatch(/Windsurf has one configuration.*~\/\.codeium\/windsurf\/mcp_config\.json/);
        expect(await say('--client', 'claude-desktop')).toContain('"mcpServers"');
        expect(await say('--client', 'codex')).toContain('[mcp_servers.roux]\ncommand = "roux"');
        expect(await say('--client', 'claude', '--user')).toContain(`claude mcp add --scope user roux -- roux mcp ${vault.root}`);
        expect(await say('--client', 'codex', '--user')).toContain('~/.codex/config.toml');
        expect(listed()).toEqual(before);
        expect(await run(['init', vault.root, '--user'], env)).toMatchObject({ status: 2 });
      }),
    ));

  it('what a server prints is in the words of each client', () => {
    const lines = new Map(clientLines({ url: 'http://127.0.0.1:1/mcp', token: { inShell: '$T', inFile: '<token>' } }));
    expect(lines.get('Gemini CLI')).toBe(
      'gemini mcp add --scope user --transport http --header "Authorization: Bearer $T" roux http://127.0.0.1:1/mcp',
    );
    expect(JSON.parse(lines.get('VS Code') ?? '')).toEqual({
      servers: { roux: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer <token>' } } },
    });
    expect([...clientLines({ url: 'http://127.0.0.1:1/mcp', token: null })].join(' ')).not.toContain('Authorization');
  });
});
