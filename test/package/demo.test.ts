import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sample } from '../support/effort.ts';
import { openChatServer } from '../support/program/chat-server.ts';
import { program, testEnvironment } from '../support/program/cli.ts';
import { openTestVault, withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

/** A line of `roux demo --json`. */
interface Line {
  readonly page?: string;
  readonly mcp?: string;
  readonly token?: string;
  readonly vault?: string;
  readonly agent?: string;
  readonly text?: string;
  readonly done?: boolean;
}

interface Demo {
  readonly lines: () => readonly Line[];
  readonly told: () => string;
  /** Waits for the first line that is so. */
  readonly line: (is: (line: Line) => boolean) => Promise<Line>;
  /** Ctrl-C; gives the exit status. */
  readonly stop: () => Promise<number | null>;
}

/** Runs with `roux demo` for a user who has nothing but a folder of their own: their state, configuration and temporary files. */
async function withDemo(
  user: TestVault,
  flags: readonly string[],
  run: (demo: Demo) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  user.write('tmp/.keep', '');
  const child = spawn(process.execPath, [program, 'demo', '--json', ...flags], {
    cwd: user.root,
    env: testEnvironment({ TMPDIR: user.path('tmp'), XDG_STATE_HOME: user.path('state'), XDG_CONFIG_HOME: user.path('config'), ...env }),
    stdio: 'pipe',
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  const lines = () => out.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Line); // prettier-ignore
  try {
    await run({
      lines,
      told: () => err,
      line: (is) => waitFor(() => lines().find(is), { what: `a line of the demo (${out}${err})` }),
      stop: () => (child.kill('SIGINT'), exit),
    });
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

/** All that there is below the folders of a user. */
function leftOf(user: TestVault): readonly string[] {
  return readdirSync(user.root, { recursive: true, encoding: 'utf8' }).toSorted();
}

it('V-20 two agents are at work within seconds, on notes that anybody can read, under their names', () =>
  withVault({}, (user) =>
    withDemo(user, ['--fast'], async (demo) => {
      const { page = '', mcp = '', token = '', vault = '' } = await demo.line(({ page: address }) => address !== undefined);
      expect(page).toBe(`${mcp.replace('/mcp', '')}/#token=${token}`);
      expect(await (await fetch(page)).text()).toContain('<html');
      await demo.line(({ done }) => done === true);

      // A line takes a person about a second: both of them are seen within five.
      const agents = demo.lines().flatMap(({ agent }) => agent ?? []);
      expect(new Set(agents.slice(0, 5))).toEqual(new Set(['ada', 'max']));
      expect(agents.length).toBeGreaterThan(15);
      expect(agents.length).toBeLessThan(30);

      const notes = openTestVault(vault);
      expect(notes.read('notes/Garden walk.md')).toMatch(/created_by: ada[^]*# A walk past every bed[^]*\[\[Compost\]\]/);
      expect(notes.read('notes/Open garden day.md')).toContain('[[Garden walk]] at 12');
      expect(notes.read('notes/Seedlings to give away.md')).toContain('created_by: max');
      expect(notes.read('notes/Costs.md')).toContain('- Paper for the invitations: 6.40\n');
      const task = notes.read('projects/Garden day/Agree on the date with the parks office.md');
      expect(task).toMatch(/resolved: true[^]*evidence:\n {2}- type: note\n.*13 June[^]*agent: max/);
      expect(notes.read('memory/organisation/City parks office.md')).toContain('- agreed to 13 June');
      expect(notes.read('memory/organisation/Corner bakery.md')).toContain('gives the cake for [[Open garden day 2026]]');
      expect(notes.read('knowledge/garden/entities/Tool shed.md')).toMatch(/\[\[Mei\]\].*expired_at[^]*\[\[Tomas\]\].*2026-05-04/);

      const asked = await fetch(`${mcp.replace('/mcp', '')}/api/graph_query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ project: 'Garden day' }),
      });
      expect(asked.status).toBe(200);
      expect((await fetch(mcp)).status).toBe(401);
      expect(demo.told()).toBe('');

      expect(await demo.stop()).toBe(0);
      expect(existsSync(vault)).toBe(false);
      expect(leftOf(user)).toEqual(['tmp', 'tmp/.keep']);
    }),
  ));

it('V-20 Ctrl-C at any moment ends it well, and leaves nothing', () =>
  withVault({}, async (user) => {
    for (const place of sample([0, 2, 8, 18], 2)) {
      await withDemo(user, ['--fast'], async (demo) => {
        await waitFor(() => demo.lines().length > place, { what: `line ${place} (${demo.told()})` });
        expect(await demo.stop()).toBe(0);
        expect(demo.told()).toBe('');
        expect(leftOf(user)).toEqual(['tmp', 'tmp/.keep']);
      });
    }
  }));

it('V-20 it is the same for a user whose settings forbid to write, name other agents, and send texts to endpoints, which hear nothing', () =>
  withVault({}, async (user) => {
    const elsewhere = await openChatServer();
    try {
      const settings = { readOnly: true, agent: 'somebody', toolsets: ['admin'], ignore: ['notes/'], tasks: { root: 'other' } };
      const endpoints = { embed: { url: elsewhere.url, model: 'm' }, extract: { url: elsewhere.url, model: 'm' }, embeddings: 'remote' };
      user.write('config/roux/config.json', JSON.stringify({ ...settings, ...endpoints }));
      await withDemo(
        user,
        ['--fast'],
        async (demo) => {
          const { vault = '' } = await demo.line(({ vault: root }) => root !== undefined);
          await demo.line(({ done }) => done === true);
          expect(readFileSync(join(vault, 'notes/Garden walk.md'), 'utf8')).toContain('created_by: ada');
          expect(await demo.stop()).toBe(0);
          expect(elsewhere.requests).toEqual([]);
        },
        { ROUX_READ_ONLY: 'true', ROUX_EMBEDDINGS: 'remote' },
      );
    } finally {
      await elsewhere.close();
    }
  }));

it('V-20 it says how to go on with notes and an agent of one’s own, and that nothing is left', () =>
  withVault({}, async (user) => {
    user.write('tmp/.keep', '');
    const child = spawn(process.execPath, [program, 'demo', '--fast'], {
      env: testEnvironment({ TMPDIR: user.path('tmp'), XDG_STATE_HOME: user.path('state'), XDG_CONFIG_HOME: user.path('config') }),
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const exit = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
    await waitFor(() => out.includes('Your own agent'), { what: `the end of the story (${out})` });
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(out).toMatch(/^\n {2}roux demo {3}http:\/\/127\.0\.0\.1:\d+\/#token=\S+\n/);
    expect(out).toMatch(/ada {2}plans[^]*max {2}takes on[^]*serve \/path\/to\/your\/vault\n.*init \/path\/to\/your\/vault --client claude/);
    expect(out).toMatch(/It is all gone again\.\n$/);
  }));
