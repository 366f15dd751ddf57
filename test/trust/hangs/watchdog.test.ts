import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, program, testEnvironment } from '../../support/program/cli.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sample } from '../../support/effort.ts';

const HELD_THREAD = pathToFileURL(join(repositoryRoot, 'test/support/program/held-thread.mjs')).href;

interface Running {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with how it ended. */
  readonly end: Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Runs the program where some notes hold the main thread, and ends it whatever happens. */
async function running<T>(args: readonly string[], run: (running: Running) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ['--import', HELD_THREAD, program, ...args], { env: testEnvironment() });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.on('error', () => undefined);
  const end = new Promise<Awaited<Running['end']>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal }));
  });
  try {
    return await run({ child, out: () => out, err: () => err, end });
  } finally {
    child.kill('SIGKILL');
    await end;
  }
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_nodes', arguments: {} } });

const HANGING = { 'bad.md': '---\ntitle: §hang§\n---\n', 'good.md': 'Good.\n' };
const HELD = '.roux/cache/held-notes.json';

/** A server on a vault with a note that hangs it, once it is stuck and this is remembered. */
async function stuck<T>(root: string, isRemembered: () => boolean, run: (running: Running) => Promise<T>): Promise<T> {
  return running(['mcp', root], async (server) => {
    server.child.stdin?.write(`${INITIALIZE}\n${INITIALIZED}\n${LIST}\n`);
    await waitFor(() => server.err().includes('Reading bad.md'), { what: 'the note is named' });
    await waitFor(isRemembered, { what: 'the note is remembered' });
    return run(server);
  });
}

describe('H-02 what holds the main thread', () => {
  it('H-02 a note that hangs the server is named, the server ends when it is asked to, and the next start skips the note until its bytes change; what a clone says of it hides none', () =>
    withVault(HANGING, async (vault) => {
      await stuck(
        vault.root,
        () => vault.exists(HELD),
        async (server) => {
          expect(server.err()).toMatch(/Reading bad\.md.* has held roux for \d+ s/);
          server.child.kill('SIGTERM');
          await server.end;
        },
      );
      await running(['list', '--vault', vault.root], async (list) => {
        expect(await list.end).toMatchObject({ status: 0 });
        expect(list.out()).toContain('good.md');
        expect(list.out()).not.toContain('bad.md');
      });
      await running(['doctor', '--vault', vault.root], async (doctor) => {
        await doctor.end;
        expect(doctor.out() + doctor.err()).toMatch(/bad\.md cannot be read: reading it held roux/);
      });
      await withVault({}, async (copy) => {
        cpSync(vault.root, copy.root, { recursive: true });
        expect(copy.exists(HELD)).toBe(true);
        expect((await cli(['list', '--vault', copy.root])).stdout).toContain('bad.md');
      });
      vault.write('bad.md', '---\ntitle: better\n---\n');
      expect((await cli(['list', '--vault', vault.root])).stdout).toContain('bad.md');
    }));

  it('H-02 a server that goes on after a while says in its log and in its warnings what held it', () =>
    withVault({ 'slow.md': '---\ntitle: §slow§\n---\n', 'good.md': 'Good.\n' }, (vault) =>
      running(['serve', vault.root, '--port', '0', '--auth', 'none', '--toolsets', 'vault,admin'], async ({ err, out, child, end }) => {
        const url = await waitFor(() => /http:\/\/[\w.:]+/.exec(err() + out())?.[0], { what: 'the address' });
        await waitFor(() => /Reading slow\.md.* has held roux for/.test(err()), { what: 'the note is named' });
        const health = await waitFor(
          async () => {
            const answer = (await (await fetch(`${url}/health`)).json()) as { held?: unknown };
            return answer.held === undefined ? null : answer;
          },
          { what: 'what held it, in /health' },
        );
        // Health is told to everybody, so that it names no note.
        expect(health.held).toEqual({ seconds: expect.any(Number), call: null });
        expect(JSON.stringify(health)).not.toContain('slow.md');
        const asked = await fetch(`${url}/api/vault_health`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        });
        expect(await asked.text()).toMatch(/Reading slow\.md.* has held roux for/);
        child.kill('SIGTERM');
        expect(await end).toMatchObject({ status: 0 });
      }),
    ));

  it('H-02 a process that was stopped, as by a machine that sleeps, was held by nothing', () =>
    withVault({ 'good.md': 'Good.\n' }, (vault) =>
      running(['mcp', vault.root, '--alone'], async ({ child, err, out }) => {
        const list = (id: number): string => `${LIST.replace('"id":2', `"id":${id}`)}\n`;
        child.stdin?.write(`${INITIALIZE}\n${INITIALIZED}\n${list(2)}`);
        await waitFor(() => out().includes('"id":2'), { what: 'the first answer' });
        child.kill('SIGSTOP');
        await new Promise((resolve) => setTimeout(resolve, 4_000));
        child.kill('SIGCONT');
        child.stdin?.write(list(3));
        await waitFor(() => out().includes('"id":3'), { what: 'the second answer' });
        // Longer than the watchdog needs for a look.
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(err()).not.toContain('has held roux');
      }),
    ));

  it.each(sample([['mcp'], ['serve', '--port', '0', '--auth', 'none'], ['list', '--watch'], ['get', 'bad']], 2))(
    'H-02 %s ends when it is asked to, though its main thread is stuck',
    (command, ...options) =>
      withVault(HANGING, (vault) =>
        running(
          [command, ...options, ...(command === 'mcp' || command === 'serve' ? [vault.root] : ['--vault', vault.root])],
          async ({ child, end, err }) => {
            child.stdin?.write(`${INITIALIZE}\n${INITIALIZED}\n${LIST}\n`);
            // A command that reads says nothing of it: it takes a CPU for itself.
            await waitFor(() => err().includes('Reading bad.md') || cpuSeconds(child.pid) > 4, { what: 'a process that is stuck' });
            child.kill('SIGTERM');
            const { status, signal } = await end;
            expect(signal ?? status).not.toBe(null);
          },
        ),
      ),
  );
});

/** CPU time of a process so far; 0 where the system does not tell. */
function cpuSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, '').split(' ').map(Number);
  const [user = 0, system = 0] = fields.slice(12, 14);
  return (user + system) / 100;
}
