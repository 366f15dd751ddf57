import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot, withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { cliProcess, testEnvironment } from '../../support/program/cli.ts';
import { processesOf } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { greet, openLines } from './mcp-lines.ts';

const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

interface Hello {
  readonly protocolVersion?: unknown;
  readonly capabilities?: unknown;
  readonly clientInfo?: unknown;
}

const usual = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ada', version: '1' } };

interface Given {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The program, unless it is the built one. */
  readonly file?: string;
}

/** The answers to a handshake, a list of tools, and another handshake, as lines. */
async function answersTo(vault: TestVault, hello: Hello, { flags = [], env = {}, file }: Given = {}): Promise<readonly string[]> {
  const client = openLines(vault.root, flags, env, file);
  const first = await client.ask(0, 'initialize', hello);
  client.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const list = await client.ask(1, 'tools/list', {});
  const wrong = await client.ask(2, 'tools/list', { cursor: 7 });
  const other = await client.ask(3, 'initialize', { ...usual, protocolVersion: '2024-11-05' });
  await client.end();
  return [first, list, wrong, other];
}

/** Answers that a front gives, and those of the program itself. */
async function bothWays(vault: TestVault, hello: Hello): Promise<readonly (readonly string[])[]> {
  return [await answersTo(vault, hello), await answersTo(vault, hello, { flags: ['--alone'] })];
}

/** Puts a front without a program behind it into a folder, with other files of the program. */
function copyFront(folder: TestVault, ...others: readonly string[]): void {
  for (const file of ['package.json', 'dist/bin.js', 'dist/relay.cjs', ...others])
    folder.write(file, readFileSync(join(repositoryRoot, file), 'utf8'));
}

/**
 * Runs while a client has the vault served, so that no further one starts the program: gives the answers of a front, and those of one that
 * has none of its own and sends the same process all it is asked.
 */
function withServed(
  vault: TestVault,
  run: (bothOf: (hello: Hello) => Promise<readonly (readonly string[])[]>) => Promise<void>,
): Promise<void> {
  return withVault({}, async (folder) => {
    copyFront(folder);
    const file = folder.path('dist/bin.js');
    const first = openLines(vault.root);
    try {
      await greet(first);
      await first.ask(1, 'tools/call', { name: 'list_nodes', arguments: {} });
      await run(async (hello) => [await answersTo(vault, hello), await answersTo(vault, hello, { file })]);
    } finally {
      await first.end();
    }
  });
}

/** A front without a program behind it: what it answers it knows by itself. */
function answersAlone(vault: TestVault, folder: TestVault): readonly string[] {
  copyFront(folder, 'dist/first-answers.json');
  const messages = [
    { id: 0, method: 'initialize', params: usual },
    { id: 1, method: 'tools/list' },
  ];
  const { stdout } = spawnSync(process.execPath, [folder.path('dist/bin.js'), 'mcp', vault.root], {
    env: testEnvironment(),
    input: messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line.includes('"result"'));
}

describe('O-08 what a front answers before the program has started', () => {
  it('O-08 needs no program, in a plain folder and in one that roux init made a vault', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withVault({}, async (folder) => {
        expect(answersAlone(vault, folder)).toHaveLength(2);
        expect((await cliProcess(['init', '--vault', vault.root])).status).toBe(0);
        expect(vault.exists('.rouxrc.json')).toBe(true);
        expect(answersAlone(vault, folder)).toHaveLength(2);
        vault.write('.rouxrc.json', '{"toolsets":["memory"]}');
        expect(answersAlone(vault, folder)).toEqual([]);
      }),
    ));

  it('O-08 is to the byte what the program answers, in each version and for each kind of client', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const clients: readonly Hello[] = [
        ...VERSIONS.map((protocolVersion) => ({ ...usual, protocolVersion })),
        ...[{ tasks: {} }, APPS, { ...APPS, tasks: {}, elicitation: {}, roots: { listChanged: true } }].map((capabilities) => ({
          ...usual,
          capabilities,
        })),
        { ...usual, clientInfo: { name: 'ada', title: 'Ada', version: '1' } },
      ];
      await withServed(vault, async (bothOf) => {
        for (const hello of clients) {
          const [front, program] = await bothOf(hello);
          expect(front).toEqual(program);
          expect(front?.[0]).toContain('"instructions"');
        }
      });
    }));

  it('O-08 is left to the program where a request is not as usual', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const odd: readonly Hello[] = [
        { ...usual, protocolVersion: '1999-01-01' },
        { ...usual, protocolVersion: 7 },
        { ...usual, capabilities: { tasks: true } },
        { ...usual, capabilities: [] },
        { ...usual, clientInfo: { name: 'ada' } },
        { ...usual, clientInfo: { name: 'ada', version: '1', websiteUrl: 7 } },
        {},
      ];
      await withServed(vault, async (bothOf) => {
        for (const hello of odd) {
          const [front, program] = await bothOf(hello);
          expect(front).toEqual(program);
        }
      });
    }));

  it('O-08 is what the settings say, wherever they come from', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withVault({}, async (home) => {
        const [front = [], program = []] = await bothWays(vault, usual);
        expect(front).toEqual(program);
        const [, plain] = front;
        /** The tools that a front tells; they are those of the program, whose bytes are compared elsewhere. */
        const toolsOf = async ({ flags = [], env = {} }: Given = {}): Promise<string> => {
          const [, list = ''] = await answersTo(vault, usual, { flags, env });
          await withServer(vault, async ({ client }) => expect(JSON.parse(list)).toHaveProperty('result', await client.listTools()), {
            flags,
            env,
          });
          return list;
        };
        for (const file of ['{"filenames":"title","toolsets":["default"]}', '{}']) {
          vault.write('.rouxrc.json', file);
          expect(await toolsOf()).toBe(plain);
        }
        for (const file of ['{"toolsets":["memory"]}', '{"readOnly":true}', '{"structured":true}', '{"tools":["search"]}']) {
          vault.write('.rouxrc.json', file);
          expect(await toolsOf()).not.toBe(plain);
        }
        vault.remove('.rouxrc.json');
        home.write('roux/config.json', '{"readOnly":true}');
        expect(await toolsOf({ env: { XDG_CONFIG_HOME: home.root } })).not.toBe(plain);
        expect(await toolsOf({ env: { ROUX_TOOLSETS: 'all' } })).not.toBe(plain);
        for (const flags of [['--read-only'], ['--structured'], ['--write-folders', 'inbox']])
          expect(await toolsOf({ flags })).not.toBe(plain);
      }),
    ));

  it('O-08 a client that says nothing gets its server all the same, and one that ends after the handshake leaves nothing', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const silent = openLines(vault.root);
      await waitFor(() => processesOf(silent.pid).length === 2, { what: 'its server' });
      expect(await silent.end()).toBe(0);
      const short = openLines(vault.root);
      await short.ask(0, 'initialize', usual);
      const all = processesOf(short.pid);
      expect(await short.end()).toBe(0);
      await waitFor(() => all.every((pid) => !existsSync(`/proc/${pid}`)), { what: 'the end of all' });
    }));
});
