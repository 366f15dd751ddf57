import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../support/program/cli.ts';
import { isInstalled } from '../support/program/terminal.ts';
import { useOnce } from '../support/program/use-once.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

/** A command of the docs, on one line, without its comment. */
interface Command {
  readonly file: string;
  readonly line: string;
}

/** How a command is tried. The first whose pattern fits is taken. */
const WAYS: readonly (readonly [pattern: RegExp, way: 'serves' | 'adds' | 'run' | 'asks' | 'parsed' | 'script' | 'elsewhere'])[] = [
  // Starts a server, whose address is waited for.
  [/^npm (?:start|run demo)$/, 'serves'],
  // Tells a client of the server: with a stand-in for the client, which notes what it is told; that is started and asked for its tools.
  [/^(?:claude|codex|gemini) mcp add /, 'adds'],
  [/^npm link$/, 'run'],
  // test/contract/check/guide.test.ts
  [/^roux init docs$/, 'elsewhere'],
  [/^roux init /, 'run'],
  // test/faces/terminal/owner-password.test.ts; a tunnel of the user's own
  [/^roux token (?:owner|remove claude)/, 'elsewhere'],
  [/^curl -i https:/, 'elsewhere'],
  [/^roux token/, 'run'],
  [/^roux (?:export|import) --vectors/, 'parsed'],
  // Needs a server, notes or an answer of their own: its words are checked by the command itself.
  [/^(?:eval "\$\()?roux /, 'parsed'],
  [/^curl -s http:\/\/127\.0\.0\.1:7411\//, 'asks'],
  [/^npm (?:run|test|ci)\b/, 'script'],
  [/^(?:sudo )?npx tsx scripts\//, 'script'],
  [/^\.ci\/run$/, 'script'],
  [/^export \w+=/, 'elsewhere'],
  // Other programs: docker.test.ts has the image, test/contract/shared/guide.test.ts what PostgreSQL is asked.
  [/^(?:docker|createdb|apt-get|claude plugin) /, 'elsewhere'],
  [/^npm install -g onnxruntime-node/, 'elsewhere'],
];

const FILES = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(repositoryRoot, 'docs')).filter((name) => name.endsWith('.md'))].map(
  (name) => (existsSync(join(repositoryRoot, name)) ? name : `docs/${name}`),
);

const commands: readonly Command[] = FILES.flatMap((file) =>
  [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    linesOf(block).map((line) => ({ file, line })),
  ),
);
// The table of clients has its commands in cells.
const cells = [
  ...readFileSync(join(repositoryRoot, 'README.md'), 'utf8').matchAll(/^\| [^|]+ \| `((?:claude|codex|gemini|roux) [^`]+)`/gm),
];
const all = [...commands, ...cells.map(([, line = '']) => ({ file: 'README.md', line }))];

/** Joins what a backslash continues, and leaves out comments. */
function linesOf(block: string): readonly string[] {
  return block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)#\s.*$/, '').trim())
    .filter((line) => line !== '');
}

function wayOf({ line }: Command): string | undefined {
  return WAYS.find(([pattern]) => pattern.test(line))?.[1];
}

const those = (way: string): readonly Command[] => all.filter((command) => wayOf(command) === way);

/** A clone of this repository with what `npm ci` brings and `npm start` builds, a home folder, and `roux` on its path by `npm link`. */
interface Clone {
  readonly root: string;
  readonly home: TestVault;
  readonly env: Readonly<Record<string, string>>;
  run(line: string, cwd?: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

const openClone = useOnce<Clone>((use) =>
  withVault({}, (home) => {
    const root = home.path('clone');
    spawnSync('git', ['clone', '-q', '--no-hardlinks', repositoryRoot, root]);
    symlinkSync(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'));
    cpSync(join(program, '..'), join(root, 'dist'), { recursive: true });
    const bin = home.path('bin');
    mkdirSync(bin);
    for (const client of ['claude', 'codex', 'gemini']) {
      writeFileSync(join(bin, client), '#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done\n');
      chmodSync(join(bin, client), 0o755);
    }
    const env = {
      ...testEnvironment({}),
      HOME: home.path('home'),
      XDG_CONFIG_HOME: home.path('home/.config'),
      npm_config_prefix: home.path('global'),
      npm_config_offline: 'true',
      PATH: `${bin}:${home.path('global/bin')}:${process.env['PATH'] ?? ''}`,
    };
    mkdirSync(home.path('home'));
    cpSync(join(repositoryRoot, 'vault-fixtures/demo'), home.path('vault'), { recursive: true });
    const run: Clone['run'] = (line, cwd = root) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line.replaceAll('/path/to/vault', home.path('vault'))], {
        cwd,
        env: { ...env, ROUX_VAULT: home.path('vault') },
        encoding: 'utf8',
      });
      return { status, stdout, stderr };
    };
    return use({ root, home, env, run });
  }),
);

describe('U-12 the commands of the docs, in a fresh clone', () => {
  let clone: Clone;
  beforeAll(async () => {
    clone = await openClone();
  });

  it('U-12 each is tried here, or said to be tried elsewhere', () => {
    expect(all.length).toBeGreaterThan(30);
    expect(all.filter((command) => wayOf(command) === undefined)).toEqual([]);
  });

  it('U-12 npm link puts roux on the path; roux init and roux token do what they say', () => {
    const linked = those('run').toSorted((a, b) => Number(b.line === 'npm link') - Number(a.line === 'npm link'));
    expect(linked[0]?.line).toBe('npm link');
    for (const { file, line } of linked)
      expect([file, line, clone.run(line)]).toEqual([file, line, expect.objectContaining({ status: 0 })]);
    expect(existsSync(clone.home.path('vault/.cursor/mcp.json'))).toBe(true);
  });

  it('U-12 what a client is told starts a server that lists its tools', () => {
    const added = those('adds');
    expect(added.length).toBeGreaterThanOrEqual(3);
    for (const { line } of added) {
      const words = clone.run(line).stdout.trimEnd().split('\n');
      const server = words.slice(words.lastIndexOf('roux', words.indexOf('mcp', 2)));
      expect(server.slice(0, 2), line).toEqual(['roux', 'mcp']);
      const ask = [
        {
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
        },
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/list' },
      ];
      const input = ask.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
      const answered = spawnSync(server[0] ?? '', server.slice(1), { cwd: clone.root, env: clone.env, input, encoding: 'utf8' });
      expect(answered.stdout, `${line}: ${answered.stderr}`).toContain('"name":"get_node"');
    }
  });

  it('U-12 the words of every other roux command are ones that it takes', () => {
    for (const { file, line } of those('parsed')) {
      // Up to a pipe or a file, and what follows "&&".
      const first = line.replace(/^eval "\$\((.*)\)"$/, '$1').split(/ (?:\||>|&&) /)[0] ?? '';
      expect([file, line, clone.run(`${first} --help`)]).toEqual([file, line, expect.objectContaining({ status: 0 })]);
    }
  });

  it('U-12 every script that is named is there', () => {
    const { scripts } = JSON.parse(readFileSync(join(clone.root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const missing = those('script').filter(({ line }) => {
      const [, script] = /^npm (?:run (?:-s )?)?([\w:-]+)/.exec(line) ?? [];
      const [, path = '.ci/run'] = /tsx (\S+)/.exec(line) ?? [];
      return script === undefined ? !existsSync(join(clone.root, path)) : script !== 'ci' && scripts[script] === undefined;
    });
    expect(missing).toEqual([]);
  });

  describe.skipIf(!isInstalled('curl'))('with a server', () => {
    let server: { readonly url: string; readonly stop: () => Promise<void> };
    beforeAll(async () => {
      const flags = `--port 0 --token ${'t'.repeat(32)} --toolsets all`;
      server = await startServer(clone, 'node', ['dist/bin.js', 'serve', clone.home.path('vault'), ...flags.split(' ')]);
    });
    afterAll(() => server.stop());

    it('U-12 what is asked over HTTP is answered', () => {
      for (const { line } of those('asks')) {
        const asked = line.replace('http://127.0.0.1:7411', server.url);
        const { stdout } = clone.run(`ROUX_HTTP_TOKEN=${'t'.repeat(32)}; ${asked}`);
        // MCP may answer as an event stream.
        const [, event] = /^data: (.*)$/m.exec(stdout) ?? [];
        expect(JSON.parse(event ?? stdout), line).not.toHaveProperty('error');
      }
    });
  });

  it('U-12 npm start and npm run demo serve the page', async () => {
    for (const { line } of those('serves')) {
      const [npm = '', ...words] = line.split(' ');
      const port = line === 'npm start' ? ['--', '--port', '0'] : [];
      const { url, stop } = await startServer(clone, npm, [...words, ...port]);
      expect((await fetch(url)).status, line).toBe(200);
      await stop();
    }
  });
});

/** Starts a server, and waits until it has told its address. */
async function startServer(clone: Clone, name: string, words: readonly string[]) {
  const child = spawn(name, words, { cwd: clone.root, env: clone.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = new Promise((done) => void child.on('close', done));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const stop = async (): Promise<void> => {
    // npm passes no signal on: its whole group is told.
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await ended;
  };
  try {
    await waitFor(() => /http:\/\/127\.0\.0\.1:\d+/.test(said) || child.exitCode !== null, { what: `an address of ${words.join(' ')}` });
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (url === undefined) throw new Error(`${words.join(' ')} said ${said}`);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
