import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, cliProcess, withVariables } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

type Env = { readonly XDG_STATE_HOME: string };

/** Runs with a vault, a state folder of its own that this process has meanwhile, and the command line for both. */
async function withTokens<T>(
  files: Readonly<Record<string, string>>,
  run: (parts: { vault: TestVault; env: Env; token: (...args: string[]) => ReturnType<typeof cli> }) => Promise<T>,
): Promise<T> {
  const state = mkdtempSync(join(tmpdir(), 'roux-state-'));
  const env = { XDG_STATE_HOME: state };
  try {
    return await withVault(files, (vault) =>
      withVariables(env, () => run({ vault, env, token: (...args) => cli(['token', ...args, '--vault', vault.root]) })),
    );
  } finally {
    rmSync(state, { recursive: true });
  }
}

const ask = async (url: string, token: string, query: string): Promise<number> =>
  (await fetch(`${url}/api/${query}`, { headers: { authorization: `Bearer ${token}` } })).status;

describe('V-04 roux token', () => {
  it('lists tokens with what they may do, and where the one of the owner is', () =>
    withTokens({ 'a.md': '' }, async ({ env, token }) => {
      const empty = await token();
      expect(empty).toMatchObject({ status: 0, stderr: '' });
      const file = /the token is in (.*)/.exec(empty.stdout)?.[1] ?? '';
      expect(file.startsWith(env.XDG_STATE_HOME)).toBe(true);
      expect(empty.stdout).not.toContain(readFileSync(file, 'utf8').trim());

      const added = await token('add', 'shed-agent', '--scope', 'write', '--folders', 'projects/shed/, journal/*');
      expect(added).toMatchObject({ status: 0, stderr: '' });
      const text = /^ {2}([\w-]{43})$/m.exec(added.stdout)?.[1] ?? '';
      expect(added.stdout).toContain('shed-agent may write projects/shed, journal/*.');
      expect(added.stdout).toContain(
        `claude mcp add --transport http roux http://127.0.0.1:7411/mcp --header "Authorization: Bearer ${text}"`,
      );
      expect((await token('add', 'reader')).stdout).toContain('reader may read the whole vault.');

      const shown = (await token()).stdout;
      expect(shown).toMatch(/^shed-agent {2}write {2}projects\/shed, journal\/\* {2}made 20/m);
      expect(shown).toMatch(/^reader {6}read {3}the whole vault/m);
      expect(shown).not.toContain(text);
      const { tokens, owner } = JSON.parse((await token('--json')).stdout) as { tokens: unknown[]; owner: unknown };
      expect(owner).toEqual({ file });
      expect(tokens).toMatchObject([
        { name: 'shed-agent', scope: 'write', folders: ['projects/shed', 'journal/*'], created: expect.stringMatching(/Z$/) },
        { name: 'reader', scope: 'read', folders: null },
      ]);
      // Kept is what opens nothing, where nobody else reads it.
      for (const name of readdirSync(join(env.XDG_STATE_HOME, 'roux/servers'))) {
        const path = join(env.XDG_STATE_HOME, 'roux/servers', name);
        expect(readFileSync(path, 'utf8')).not.toContain(text);
        expect(statSync(path).mode & 0o077).toBe(0);
      }
    }));

  it('holds for a running server with its next request', () =>
    withTokens({ 'a.md': 'A word\n', 'open/b.md': 'A word\n' }, ({ vault, env, token }) =>
      withServe(
        vault,
        [],
        async ({ url }) => {
          const add = async (...args: string[]) =>
            JSON.parse((await token('add', ...args, '--json')).stdout) as { token: string; mcp: string };
          const { token: text, mcp } = await add('some', '--folders', 'open');
          // It knows where the server is.
          expect(mcp).toBe(`${url}/mcp`);
          expect(await ask(url, text, 'get_node?id=b')).toBe(200);
          const hits = await fetch(`${url}/api/search?query=word`, { headers: { authorization: `Bearer ${text}` } });
          expect(((await hits.json()) as { result: { id: string }[] }).result.map(({ id }) => id)).toEqual(['open/b.md']);
          const { token: another } = await add('another');
          expect(await ask(url, another, 'get_node?id=a.md')).toBe(200);
          expect(await token('remove', 'some')).toMatchObject({ status: 0, stdout: 'some is let in no more.\n' });
          expect(await ask(url, text, 'get_node?id=b')).toBe(401);
          expect(await ask(url, another, 'get_node?id=a.md')).toBe(200);
        },
        { ...env, ROUX_HTTP_AUTH: 'token' },
      ),
    ));

  it('a token is held to what it may where none is asked for, and tokens that cannot be read open nothing and stop nothing', () =>
    withTokens({ 'a.md': 'A\n', 'open/b.md': 'B\n' }, async ({ vault, env, token }) => {
      const { stdout, stderr } = await cli(['token', 'add', 'some', '--folders', 'open', '--json', '--vault', vault.root], {
        env: { ROUX_HTTP_AUTH: 'none' },
      });
      expect(stderr).toContain('asks for no token');
      const { token: text } = JSON.parse(stdout) as { token: string };
      const isThere = async (url: string, headers: Record<string, string>): Promise<boolean> =>
        !(await (await fetch(`${url}/api/get_node?id=a.md`, { headers })).text()).includes('"result":null');
      await withServe(
        vault,
        [],
        async ({ url }) => {
          expect(await isThere(url, {})).toBe(true);
          expect(await isThere(url, { authorization: `Bearer ${text}` })).toBe(false);
        },
        env,
      );
      const { file } = (JSON.parse((await token('--json')).stdout) as { owner: { file: string } }).owner;
      const tokens = `${file}s`;
      await withServe(
        vault,
        [],
        async ({ url }) => {
          expect(await ask(url, text, 'get_node?id=b')).toBe(200);
          chmodSync(tokens, 0o644);
          expect(await ask(url, text, 'get_node?id=b')).toBe(401);
          expect(await ask(url, readFileSync(file, 'utf8').trim(), 'get_node?id=b')).toBe(200);
          rmSync(tokens);
          symlinkSync('/dev/null', tokens);
          expect(await ask(url, text, 'get_node?id=b')).toBe(401);
          expect(await ask(url, readFileSync(file, 'utf8').trim(), 'get_node?id=b')).toBe(200);
        },
        { ...env, ROUX_HTTP_AUTH: 'token' },
      );
      expect(await token()).toMatchObject({ status: 3, stderr: expect.stringContaining('Remove that file') });
    }));

  it('loses no token and brings none back where several commands change them at once', () =>
    withTokens({ 'a.md': '' }, async ({ env, token, vault }) => {
      await token('add', 'goes');
      const names = Array.from({ length: 4 }, (_, at) => `agent-${at}`);
      const apart = (...args: string[]) => cliProcess(['token', ...args, '--vault', vault.root], { env });
      const done = await Promise.all([...names.map((name) => apart('add', name)), apart('remove', 'goes')]);
      expect(done.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
      const { tokens } = JSON.parse((await token('--json')).stdout) as { tokens: { name: string }[] };
      expect(tokens.map(({ name }) => name).sort()).toEqual(names);
    }));

  it('refuses what is no token, and says what to do', () =>
    withTokens({ 'a.md': '' }, async ({ token }) => {
      await token('add', 'agent');
      for (const [args, status, told] of [
        [['add'], 2, 'takes one name'],
        [['add', 'a', 'b'], 2, 'too many arguments: b'],
        [['make', 'a'], 2, 'token takes add, remove or owner, not "make"'],
        [['add', 'b', '--scope', 'all'], 2, '--scope takes read, write or admin, not "all"'],
        [['--scope', 'read'], 2, 'go with "roux token add"'],
        [['remove', 'agent', '--folders', 'a'], 2, 'go with "roux token add"'],
        [['add', 'agent'], 2, 'There is a token "agent" already'],
        [['add', 'owner'], 2, 'There is a token "owner" already'],
        [['add', 'with space'], 2, 'A token is named with'],
        [['add', 'b', '--folders', ''], 2, 'it is empty'],
        [['add', 'b', '--folders', 'a,../b'], 2, 'it is no folder of a vault'],
        [['add', 'b', '--folders', '!a'], 2, 'nothing is taken away again'],
        [['remove', 'agnet'], 1, 'did you mean "agent"?'],
        [['remove', 'owner'], 2, 'The token of the owner is a file'],
      ] as const) {
        const done = await token(...args);
        expect({ args, status: done.status, told: done.stdout + done.stderr }).toEqual({
          args,
          status,
          told: expect.stringContaining(told),
        });
      }
      expect((JSON.parse((await token('--json')).stdout) as { tokens: unknown[] }).tokens).toHaveLength(1);
    }));
});
