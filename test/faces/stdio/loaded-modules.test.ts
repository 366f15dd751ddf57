import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cliProcess } from '../../support/program/cli.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';

const preload = fileURLToPath(new URL('loaded-modules.mjs', import.meta.url));

/** What no start needs: expressions, dates, prompts, HTTP and its tools, the settings of editors. */
const LATER = [
  '@clack/core',
  '@clack/prompts',
  '@hono/node-server',
  '@jsep-plugin/object',
  '@jsep-plugin/regex',
  'jsep',
  'jsonc-parser',
  'moment',
];
/** What a note, a client's form or an old library brings along, in one script with the rest: some 10 ms of a start. */
const EARLY = ['ajv', 'chokidar', 'diff', 'gray-matter', 'minisearch', 'unified', 'yaml'];
/** What begins two seconds after the start, whatever is called. */
const BY_ITSELF = 'src/ops/tasks/sessions/watch-claims.ts';

it('a warm start has run no module that only some calls need when it gives its first answer', () =>
  withVault({}, (aside) =>
    withVault({ 'a.md': '---\nrating: 7\nup: "[[b]]"\n---\n# A\n\n[[b]] #tag\n', 'b.md': 'B\n' }, async (vault) => {
      await withMcp(vault, ({ ask }) => ask('get_hubs'));
      const report = join(aside.root, 'loaded');
      const loaded = (): readonly string[] => readFileSync(report, 'utf8').trim().split('\n');
      const packages = (): ReadonlySet<string> =>
        new Set(loaded().flatMap((module) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1] ?? []));
      await withMcp(
        vault,
        async ({ ask }) => {
          expect(await ask('get_hubs')).toMatchObject([{ title: 'b' }, { title: 'a' }]);
          const first = packages();
          expect(LATER.filter((name) => first.has(name))).toEqual([]);
          expect(EARLY.filter((name) => first.has(name))).toEqual(EARLY);
          expect(
            loaded().filter((module) =>
              /^src\/(?:query|faces\/(?:http|mcp\/modern|cli\/(?:reads|writes|care|pick|complete)))\//.test(module),
            ),
          ).toEqual([]);
          // 214 until `initialize` is answered, 1,124 until the vault is open: a new one is to be needed by every start.
          expect(loaded().length).toBeLessThanOrEqual(1124);
          const before = loaded().length;
          await ask('get_node', { id: 'a' });
          await ask('search', { query: 'tag' });
          await ask('update_node', { id: 'a', properties: { rating: 8 } });
          expect(
            loaded()
              .slice(before)
              .filter((module) => module !== BY_ITSELF),
          ).toEqual([]);
          await ask('list_nodes', { where: 'rating > 7' });
          expect(packages().has('jsep')).toBe(true);
        },
        { preload, env: { TEST_LOADED_MODULES: report } },
      );
    }),
  ));

it('the handshake is answered before anything is loaded that a call needs', () =>
  withVault({}, (aside) =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const report = join(aside.root, 'loaded');
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'greeting', version: '1' } };
      const { stdout } = await cliProcess(['mcp', vault.root, '--alone'], {
        stdin: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
        env: { NODE_OPTIONS: `--import ${preload}`, TEST_LOADED_MODULES: report },
      });
      expect(stdout).toContain('"instructions"');
      const loaded = readFileSync(report, 'utf8').trim().split('\n');
      expect(
        loaded.filter((module) =>
          /(?:^src\/(?:vault|store|graph|page|ops\/\w+)\/|node_modules\/(?:yaml|unified|micromark)\/)/.test(module),
        ),
      ).toEqual(['src/store/folder/process-identity.ts', 'src/vault/vault-state.ts']);
      // 214: the SDK's own, and what reads a command line and the settings, asks whose the folder is, names the process and serves others.
      expect(loaded.length).toBeLessThanOrEqual(214);
    }),
  ));

it('P-20 a vault that is not shared has run nothing of shared ones, whatever is asked of it', () =>
  withVault({}, (aside) =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const report = join(aside.root, 'loaded');
      const env = { TEST_LOADED_MODULES: report };
      await withMcp(
        vault,
        async ({ ask }) => {
          await ask('create_node', { title: 'B', content: '[[a]]' });
          await ask('search', { query: 'A' });
          await ask('list_nodes', { where: 'true' });
        },
        { preload, env },
      );
      for (const args of [
        ['get', 'a', '--vault', vault.root],
        ['doctor', vault.root],
      ]) {
        const { status } = await cliProcess(args, { env: { ...env, NODE_OPTIONS: `--import ${preload}` } });
        expect(status).toBeLessThan(2);
      }
      const loaded = readFileSync(report, 'utf8').trim().split('\n');
      expect(loaded.length).toBeGreaterThan(100);
      expect(
        loaded.filter((module) => /node_modules\/pg|^src\/(?:sharing\/(?!find-share|open-sharing)|store\/shared\/)/.test(module)),
      ).toEqual([]);
    }),
  ));
