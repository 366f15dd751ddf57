import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, IN_TERMINAL } from '../support/program/cli.ts';
import { post, withServe } from '../support/program/http-server.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

const PLANTED = 'a-token-that-the-stranger-knows';

/** Runs with a state folder of its own, and a server that asks for a token. */
async function withState<T>(run: (env: { XDG_STATE_HOME: string; ROUX_HTTP_AUTH: string }) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-state-'));
  try {
    return await run({ XDG_STATE_HOME: folder, ROUX_HTTP_AUTH: 'token' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const statusWith = async (port: number, token: string): Promise<number> =>
  (await post(port, { headers: { authorization: `Bearer ${token}` } })).status;

/** The file of the token of a vault: a server is started once, which makes it. */
async function tokenFileOf(vault: TestVault, env: Record<string, string>): Promise<string> {
  return withServe(vault, [], ({ tokenFile }) => Promise.resolve(tokenFile()), env);
}

describe('the token of a server', () => {
  it('F46 is not one that came with the folder, whatever it is and whether a token was made before', () =>
    withState(async (env) => {
      await withVault({ 'a.md': 'A\n', '.roux/run/token': `${PLANTED}\n` }, async (vault) => {
        for (const round of [1, 2]) {
          await withServe(
            vault,
            [],
            async ({ port, told, tokenFile }) => {
              expect(await statusWith(port, PLANTED), `round ${round}`).toBe(401);
              expect(await statusWith(port, readFileSync(tokenFile(), 'utf8').trim())).toBe(200);
              expect(tokenFile().startsWith(env.XDG_STATE_HOME)).toBe(true);
              expect(told()).toContain('.roux/run/token came with the folder');
              expect(told()).not.toContain(PLANTED);
            },
            env,
          );
        }
        expect(vault.read('.roux/run/token')).toBe(`${PLANTED}\n`);
      });
    }));

  it("lies in the user's own folder, is the same in the next run, and another in every vault", () =>
    withState((env) =>
      withVault({ 'a.md': 'A\n' }, (one) =>
        withVault({ 'a.md': 'A\n' }, async (two) => {
          const file = await tokenFileOf(one, env);
          const token = readFileSync(file, 'utf8');
          expect(token.trim()).toMatch(/^[\w-]{43}$/);
          expect(statSync(file).mode & 0o777).toBe(0o600);
          expect(statSync(dirname(file)).mode & 0o077).toBe(0);
          expect(await tokenFileOf(one, env)).toBe(file);
          expect(readFileSync(file, 'utf8')).toBe(token);
          const other = await tokenFileOf(two, env);
          expect(readFileSync(other, 'utf8')).not.toBe(token);
          symlinkSync(one.root, two.path('link'));
          expect(await tokenFileOf({ ...one, root: two.path('link') }, env)).toBe(file);
          expect([one, two].map((vault) => existsSync(vault.path('.roux/run')))).toEqual([false, false]);
        }),
      ),
    ));

  it('item 22 is asked for unless one wants none, stands where its reader alone looks, and holds on every address', () =>
    withState(({ XDG_STATE_HOME }) =>
      withVault({ 'a.md': 'A\n' }, async (vault) => {
        const env = { XDG_STATE_HOME, ROUX_HTTP_AUTH: '' };
        await withServe(
          vault,
          [],
          async ({ port, told, tokenFile }) => {
            expect((await post(port, {})).status).toBe(401);
            expect(await statusWith(port, readFileSync(tokenFile(), 'utf8').trim())).toBe(200);
            expect(told()).not.toContain(readFileSync(tokenFile(), 'utf8').trim());
            expect(told()).toContain('{"mcpServers":{"roux":{"url":"http');
          },
          env,
        );
        await withServe(
          vault,
          [],
          async ({ port, told }) => {
            const line = /\{"mcpServers".*\}/.exec(told())?.[0] ?? '';
            const { headers } = (JSON.parse(line) as { mcpServers: { roux: { headers: { Authorization: string } } } }).mcpServers.roux;
            expect((await post(port, { headers: { authorization: headers.Authorization } })).status).toBe(200);
          },
          { ...env, ...IN_TERMINAL },
        );
        await withServe(vault, ['--auth', 'none'], async ({ port }) => expect((await post(port, {})).status).toBe(200), env);
        await withServe(
          vault,
          ['--auth', 'none', '--host', '0.0.0.0'],
          async ({ port, told }) => {
            expect((await post(port, {})).status).toBe(401);
            expect(told()).toContain('0.0.0.0 can be reached from other machines');
          },
          env,
        );
        const wrong = await cli(['serve', vault.root, '--auth', 'nobody'], { env: { XDG_STATE_HOME } });
        expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('--auth takes token or none, not "nobody"') });
        expect(vault.exists('.roux/run')).toBe(false);
      }),
    ));

  it('is refused where its file is a link, may be read by others, or holds none', () =>
    withState((env) =>
      withVault({ 'a.md': 'A\n' }, async (vault) => {
        const file = await tokenFileOf(vault, env);
        const refused = async (why: RegExp): Promise<void> => {
          const { status, stderr } = await cli(['serve', vault.root, '--port', '0'], { env });
          expect({ status, stderr }).toMatchObject({ status: 3 });
          expect(stderr).toMatch(why);
          expect(stderr).toMatch(/Remove that file, or give a token by ROUX_HTTP_TOKEN or --token/);
        };
        chmodSync(file, 0o644);
        await refused(/not a file that only this user can read/);
        rmSync(file);
        writeFileSync(join(env.XDG_STATE_HOME, 'elsewhere'), PLANTED, { mode: 0o600 });
        symlinkSync(join(env.XDG_STATE_HOME, 'elsewhere'), file);
        await refused(/cannot be kept/);
        rmSync(file);
        writeFileSync(file, 'short\n', { mode: 0o600 });
        await refused(/no token of 16 characters/);
      }),
    ));
});

describe('what a server leaves for other programs', () => {
  it('F46 goes to no place that the folder names: links and FIFOs under .roux/run lead nowhere', () =>
    withState(async (env) => {
      const outside = mkdtempSync(join(tmpdir(), 'roux-outside-'));
      try {
        writeFileSync(join(outside, 'private'), 'Private\n');
        mkdirSync(join(outside, 'folder'));
        for (const [at, to] of [
          ['.roux', outside],
          ['.roux/run', join(outside, 'folder')],
          ['.roux/run/server.json', join(outside, 'private')],
          ['.roux/run/token', join(outside, 'private')],
          ['.roux/.gitignore', join(outside, 'private')],
          ['.roux/.gitattributes', join(outside, 'made')],
        ] as const) {
          await withVault({ 'a.md': 'A\n' }, async (vault) => {
            mkdirSync(dirname(vault.path(at)), { recursive: true });
            symlinkSync(to, vault.path(at));
            await withServe(vault, [], ({ stop }) => stop(), env);
          });
          expect(readdirSync(outside, { recursive: true, encoding: 'utf8' }).toSorted(), at).toEqual(['folder', 'private']);
          expect(readFileSync(join(outside, 'private'), 'utf8'), at).toBe('Private\n');
        }
      } finally {
        rmSync(outside, { recursive: true });
      }
    }));

  it('X-26 is nothing at all in the vault with --read-only', () =>
    withState((env) =>
      withVault({ 'a.md': 'A\n' }, async (vault) => {
        await withServe(vault, ['--read-only'], ({ stop }) => stop(), env);
        expect(vault.list('.')).toEqual(['a.md']);
      }),
    ));
});
