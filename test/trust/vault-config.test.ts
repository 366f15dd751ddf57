import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCommands } from '../../src/faces/cli/command-list.ts';
import { FLAGS } from '../../src/system/settings-files/vault-settings.ts';
import { cli } from '../support/program/cli.ts';
import { withServer } from '../support/program/mcp-server.ts';
import type { McpOptions } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

const CONFIG = '.rouxrc.json';

/** Runs with an own configuration of the user's; `say` writes it. */
async function withUser<T>(
  run: (user: { readonly env: Record<string, string>; readonly say: (values: object | string) => void }) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-user-'));
  try {
    const file = join(folder, 'roux/config.json');
    return await run({
      env: { XDG_CONFIG_HOME: folder },
      say(values) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, typeof values === 'string' ? values : JSON.stringify(values));
      },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const toolsOf = (vault: TestVault, options: McpOptions): Promise<string[]> =>
  withServer(vault, async ({ client }) => (await client.listTools()).tools.map(({ name }) => name), options);

describe("a vault's own configuration", () => {
  it.each([
    [{ http: { host: '0.0.0.0' } }, 'http.host', 'ROUX_HTTP_HOST', '--host'],
    [{ http: { port: 80 } }, 'http.port', 'ROUX_HTTP_PORT', '--port'],
    [{ http: { token: 'known-to-the-stranger' } }, 'http.token', 'ROUX_HTTP_TOKEN', '--token'],
    [{ http: { origins: ['https://evil.example'] } }, 'http.origins', 'ROUX_HTTP_ORIGINS', ''],
    [{ http: { auth: 'none' } }, 'http.auth', 'ROUX_HTTP_AUTH', '--auth'],
    [{ http: { maxSessions: 10_000 } }, 'http.maxSessions', 'ROUX_HTTP_MAX_SESSIONS', ''],
    [{ http: {} }, 'http', 'ROUX_HTTP_HOST', ''],
    [{ http: 'x' }, 'http', 'ROUX_HTTP_HOST', ''],
    [{ extract: { url: 'https://evil.example/v1' } }, 'extract.url', 'ROUX_EXTRACT_URL', ''],
    [{ extract: { model: 'x' } }, 'extract.model', 'ROUX_EXTRACT_MODEL', ''],
    [{ ocr: { command: ['see', '{file}'] } }, 'ocr.command', 'ROUX_OCR_COMMAND', ''],
    [{ agent: 'Somebody Else' }, 'agent', 'ROUX_AGENT', '--agent'],
    [{ log: 'error' }, 'log', 'ROUX_LOG', ''],
    [{ durability: 'relaxed' }, 'durability', 'ROUX_DURABILITY', ''],
    [{ embed: { url: 'https://evil.example/v1' } }, 'embed.url', 'ROUX_EMBED_URL', ''],
    [{ embed: { model: 'of-the-stranger' } }, 'embed.model', 'ROUX_EMBED_MODEL', ''],
    [{ embed: { key: 'x' } }, 'embed.key', 'ROUX_EMBED_KEY', ''],
    [{ embeddings: 'remote' }, 'embeddings', 'ROUX_EMBEDDINGS', ''],
    [{ trashDays: 0.0001 }, 'trashDays', 'ROUX_TRASH_DAYS', ''],
  ])('F48 cannot say %j, and the error names the file, the variable and the flag where it belongs', (values, key, variable, flag) =>
    withVault({ 'a.md': 'A\n', [CONFIG]: JSON.stringify(values) }, async (vault) => {
      const { status, stderr } = await cli(['get', 'a', '--vault', vault.root], { env: { XDG_CONFIG_HOME: join(homedir(), '.config') } });
      expect({ status, stderr }).toMatchObject({ status: 2 });
      expect(stderr).toContain(`${CONFIG}: "${key}"`);
      expect(stderr).toContain('~/.config/roux/config.json');
      expect(stderr).toContain(variable);
      expect(stderr).toContain(flag);
    }),
  );

  it('F48 is told the flags that there are', async () => {
    const flags = (await listCommands()).flatMap(({ options = {} }) =>
      Object.entries(options).flatMap(([name, { setting }]) => (setting === undefined ? [] : [[setting, `--${name}`] as const])),
    );
    expect(Object.fromEntries(flags)).toMatchObject(FLAGS);
    const own = flags.filter(([setting]) => /^(http\b|agent$|durability$|log$|trashDays$)/.test(setting));
    expect(Object.fromEntries(own)).toEqual(FLAGS);
  });

  it('F48 does not expose serve, whose flags, variables and own file of the user do', () =>
    withVault({ 'a.md': 'A\n', [CONFIG]: '{"http": {"host": "0.0.0.0", "token": "known-to-the-stranger"}}' }, async (vault) => {
      const refused = await cli(['serve', vault.root, '--port', '0', '--json']);
      expect(refused).toMatchObject({ status: 2 });
      expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'INVALID_CONFIG', details: { key: 'http.host' } } });
    }));

  it('F48 reaches none of it by another spelling', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      for (const text of [
        '{"__proto__": {"http": {"host": "0.0.0.0"}}}',
        '{"__proto__": {"agent": "eve"}}',
        '{"tasks": {"__proto__": {"root": "../.."}}}',
        '{"constructor": {"prototype": {"agent": "eve"}}}',
        '{"http.host": "0.0.0.0"}',
        '{"HTTP": {"host": "0.0.0.0"}}',
        '{"\\u0068ttp": {"host": "0.0.0.0"}}',
        '{"http": null}',
        '{"toolsets": ["vault"], "http": {"host": "0.0.0.0"}, "readOnly": false}',
      ]) {
        vault.write(CONFIG, text);
        const { status, stderr } = await cli(['get', 'a', '--vault', vault.root]);
        expect({ text, status, stderr }).toMatchObject({ status: 2 });
      }
    }));

  it('may say what a team shares, and keep deleted notes longer than is usual', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      vault.write(
        CONFIG,
        JSON.stringify({
          $schema: 'x',
          toolsets: ['vault'],
          readOnly: true,
          ignore: ['drafts/'],
          filenames: 'title',
          ids: 'always',
          trashDays: 90,
          renameAlias: 'off',
          links: { format: 'relative', markdown: true },
          repairExternalRenames: 'off',
          tasks: { root: 'work', requireEvidence: true },
          memory: { root: 'facts', relations: 'enforce', redactSecrets: true },
          ontology: { protectedTypes: ['Config'] },
        }),
      );
      expect(await cli(['get', 'a', '--vault', vault.root])).toMatchObject({ status: 0, stdout: 'A\n' });
      vault.write(CONFIG, '{"trashDays": 0}');
      expect(await cli(['get', 'a', '--vault', vault.root])).toMatchObject({ status: 0, stdout: 'A\n' });
    }));

  it('loses against what the user says: for all vaults, by variable or by flag', () =>
    withUser(({ env, say }) =>
      withVault({ 'a.md': 'A\n', [CONFIG]: '{"readOnly": false, "toolsets": ["all"]}' }, async (vault) => {
        expect(await toolsOf(vault, { env })).toContain('create_ontology');
        say({ readOnly: true, toolsets: ['vault'] });
        const listed = await toolsOf(vault, { env });
        expect(listed).toContain('search');
        expect(listed).not.toContain('update_node');
        expect(listed).not.toContain('get_ontology');
        expect(await toolsOf(vault, { env: { ...env, ROUX_READ_ONLY: 'no' } })).toContain('update_node');
        expect(await toolsOf(vault, { env: { ...env, ROUX_READ_ONLY: 'no' }, flags: ['--read-only'] })).not.toContain('update_node');
      }),
    ));

  it('does not add tools to those that the user chose', () =>
    withUser(({ env, say }) =>
      withVault({ 'a.md': 'A\n', [CONFIG]: '{"tools": ["delete_node", "search"]}' }, async (vault) => {
        expect(await toolsOf(vault, { env })).toEqual(['delete_node', 'search']);
        expect(await toolsOf(vault, { env, flags: ['--toolsets', 'memory'] })).not.toContain('delete_node');
        expect(await toolsOf(vault, { env: { ...env, ROUX_TOOLSETS: 'memory' } })).not.toContain('delete_node');
        expect(await toolsOf(vault, { env, flags: ['--toolsets', 'memory', '--tools', 'search'] })).toEqual(['search']);
        expect(await toolsOf(vault, { env: { ...env, ROUX_TOOLSETS: 'memory', ROUX_TOOLS: 'search' } })).toEqual(['search']);
        say({ toolsets: ['memory'] });
        expect(await toolsOf(vault, { env })).not.toContain('delete_node');
      }),
    ));
});

describe("the user's own configuration", () => {
  it('may say everything, holds for every vault, and is checked as strictly', () =>
    withUser(({ env, say }) =>
      withVault({ 'a.md': 'A\n', [CONFIG]: '{"tasks": {"root": "work", "strictParents": true}}' }, async (vault) => {
        say({ agent: 'me', tasks: { root: 'mine' }, durability: 'relaxed', trashDays: 1, log: 'info', http: { auth: 'token' } });
        expect(await cli(['create', 'B', '--vault', vault.root], { env })).toMatchObject({ status: 0 });
        expect((await cli(['history', 'b', '--vault', vault.root], { env })).stdout).toContain('by me');
        await withServer(vault, ({ ask }) => ask('graph_open', { project: 'shed' }), { env });
        expect(vault.exists('mine/shed')).toBe(true);
        for (const [text, told] of [
          ['{"redOnly": true}', 'unknown key "redOnly"; did you mean "readOnly"?'],
          ['{broken', 'not valid JSON'],
          ['[]', 'JSON object'],
        ] as const) {
          say(text);
          const refused = await cli(['get', 'a', '--vault', vault.root], { env });
          expect(refused).toMatchObject({ status: 2 });
          expect(refused.stderr).toContain('roux/config.json');
          expect(refused.stderr).toContain(told);
        }
      }),
    ));

  it('may lie behind a link, as people keep such files, and is looked for in ~/.config where the variable is no absolute path', () =>
    withVault({ 'a.md': 'A\n', 'home/dotfiles/roux.json': '{"agent": "dotted"}' }, async (vault) => {
      const home = vault.path('home');
      mkdirSync(join(home, '.config/roux'), { recursive: true });
      symlinkSync('../../dotfiles/roux.json', join(home, '.config/roux/config.json'));
      for (const [index, value] of ['', 'relative/path'].entries()) {
        const env = { HOME: home, XDG_CONFIG_HOME: value };
        expect(await cli(['create', `B${index}`, '--vault', vault.root], { env })).toMatchObject({ status: 0 });
        expect((await cli(['history', `b${index}`, '--vault', vault.root], { env })).stdout).toContain('by dotted');
      }
    }));
});
