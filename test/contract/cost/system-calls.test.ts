import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';

const preload = fileURLToPath(new URL('counted-calls.mjs', import.meta.url));

/** Calls of the system by kind. */
interface Calls {
  readonly opens: number;
  /** Looks at a file, a folder or what is open. */
  readonly looks: number;
  readonly lists: number;
  /** Names that are given, changed or taken away. */
  readonly names: number;
  readonly syncs: number;
}

/** The fewest calls that a piece of work took of some: what the server does at its own times comes between now and then. */
async function fewest(report: string, times: number, work: (time: number) => Promise<unknown>): Promise<Calls> {
  let least: string | null = null;
  for (let time = 0; time < times; time += 1) {
    // The watch looks at what the last write changed.
    await waitUntilStill(report);
    writeFileSync(report, '');
    await work(time);
    const calls = readFileSync(report, 'utf8');
    if (least === null || calls.length < least.length) least = calls;
  }
  const count = (letter: string): number => (least ?? '').split(letter).length - 1;
  return { opens: count('o'), looks: count('s'), lists: count('d'), names: count('n'), syncs: count('y') };
}

/** Waits until no call of the system is made for a moment, or gives up: the fewest calls count. */
async function waitUntilStill(report: string): Promise<void> {
  for (let looks = 0; looks < 20; looks += 1) {
    const { size } = statSync(report);
    await setTimeout(300);
    if (statSync(report).size === size) return;
  }
}

const notesOf = (count: number, text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`area ${number % 7}/deep/note ${number}.md`, text]));

async function counted<T>(
  files: Record<string, string>,
  run: (session: McpSession, report: string) => Promise<T>,
  flags: readonly string[] = ['--alone'],
): Promise<T> {
  return withVault({}, (aside) =>
    withVault(files, async (vault) => {
      const report = join(aside.root, 'calls');
      writeFileSync(report, '');
      return withMcp(vault, (session) => run(session, report), { preload, flags, env: { TEST_COUNTED_CALLS: report } });
    }),
  );
}

describe('calls of the system', () => {
  it('of one small update: each folder is opened once and looked at once, whatever the size of the vault', async () => {
    const [few, many] = await Promise.all(
      [20, 300].map((count) =>
        // In a repository, so that none is sought in the folders above.
        counted({ ...notesOf(count, 'Words.\n'), '.git/HEAD': 'ref: refs/heads/main\n' }, (session, report) =>
          fewest(report, 16, (time) => session.ask('update_node', { id: `note ${time}`, properties: { status: 'done' } })),
        ),
      ),
    );
    for (const calls of [few!, many!]) {
      expect(calls.syncs).toBe(5);
      expect(calls.opens).toBeLessThanOrEqual(13);
      // Three of them see how far the history has grown, which counts the revisions of a note without `rev`.
      expect(calls.looks).toBeLessThanOrEqual(33);
      // The lock and the journal: others may have left something there.
      expect(calls.lists).toBeLessThanOrEqual(2);
      expect(calls.names).toBeLessThanOrEqual(11);
      expect(calls.opens + calls.looks + calls.lists + calls.names).toBeLessThan(60);
    }
  });

  it('O-08 of one small update through a front: that the call was carried out is remembered in one line, which is not synced', async () => {
    const calls = await counted(
      { ...notesOf(20, 'Words.\n'), '.git/HEAD': 'ref: refs/heads/main\n' },
      (session, report) => fewest(report, 16, (time) => session.ask('update_node', { id: `note ${time}`, properties: { status: 'done' } })),
      [],
    );
    expect(calls.syncs).toBe(5);
    expect(calls.names).toBeLessThanOrEqual(11);
    expect(calls.opens + calls.looks + calls.lists + calls.names).toBeLessThan(68);
  });

  it('of a rename, for each note that links to it', async () => {
    const rename = (backlinks: number): Promise<Calls> =>
      counted({ ...notesOf(backlinks, 'See [[Hub 0]].\n'), 'Hub 0.md': 'Hub\n' }, (session, report) =>
        fewest(report, 4, (time) => session.ask('update_node', { id: `Hub ${time}.md`, title: `Hub ${time + 1}` })),
      );
    const [few, many] = [await rename(20), await rename(120)];
    const each = (kind: keyof Calls): number => (many[kind] - few[kind]) / 100;
    // Read, staged, what was displaced looked at, now and once more two seconds later: one sync each. Before the swap its state is enough.
    expect(each('opens')).toBeLessThan(4.5);
    expect(each('looks')).toBeLessThan(10);
    expect(each('names')).toBeLessThan(5.5);
    expect(each('syncs')).toBeLessThan(1.3);
  });
});
