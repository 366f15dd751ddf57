import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong, sample, seed, upTo } from '../../support/effort.ts';
import { cliProcess } from '../../support/program/cli.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import type { TestVault } from '../../support/vault.ts';
import { withVault } from '../../support/vault.ts';
import { describeCrash, sameFiles } from '../crash-run.ts';
import { readTrace, replay, STRACE } from './traced-calls.ts';

const canTrace =
  process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0 && spawnSync('strace', ['-qq', 'true']).status === 0;
if (!canTrace) console.log('Skipped: crash states of a traced session, for want of strace.');

const notes = {
  '.rouxrc.json': '{"filenames": "title"}\n',
  'Log.md': '---\nrev: 1\n---\nText\n',
  'Name.md': 'Named.\n',
  'links.md': 'See [[Name]] and ![[Name]].\n',
  'part/one.md': 'One, see [[two]].\n',
  'part/two.md': 'Two.\n',
};

/** The calls of the session: a write of each kind. */
const session: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['create_node', { title: 'Made', content: 'Body, see [[Log]].\n' }],
  ['update_node', { id: 'Log.md', append: 'A line.' }],
  ['update_node', { id: 'Name.md', title: 'Other name' }],
  ['rename', { changes: [{ from: 'part/', to: 'whole/part/' }] }],
  ['delete_node', { id: 'Made.md' }],
  ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] }],
];

type Files = Readonly<Record<string, string>>;

function snapshot(vault: TestVault): Files {
  return Object.fromEntries(vault.files().map((path) => [path, vault.read(path)]));
}

/** Puts files in the place of all that is in a folder, which stays the same one: what roux wrote there counts as written there. */
function fill(vault: TestVault, files: Files): void {
  for (const name of readdirSync(vault.root)) rmSync(vault.path(name), { recursive: true, force: true });
  const old = new Date(Date.now() - 3_600_000);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(vault.path(path)), { recursive: true });
    writeFileSync(vault.path(path), text);
    utimesSync(vault.path(path), old, old);
  }
}

describe.skipIf(!canTrace)('crash states of a traced session of the built program', () => {
  it('F01 F04 after every call, killed or without power, the program starts again on the old or the new state, with all that was answered', () =>
    withVault(notes, async (vault) => {
      const trace = join(mkdtempSync(join(tmpdir(), 'roux-trace-')), 'trace.txt');
      const before = snapshot(vault);
      /** The files after so many answers. */
      const states: Files[] = [before];
      const server = await openMcp(vault, { through: [...STRACE, '-o', trace], flags: ['--toolsets', 'all', '--alone'] });
      try {
        for (const [tool, args] of session) {
          await server.ask(tool, args);
          states.push(snapshot(vault));
        }
      } finally {
        await server.close();
      }
      const calls = readTrace(trace, vault.root);
      rmSync(dirname(trace), { recursive: true, force: true });
      // Tools are called one after the other: the last answers are theirs.
      const answers = calls.flatMap((call, index) => (call.kind === 'answer' ? [index] : [])).slice(-session.length);
      expect(answers).toHaveLength(session.length);
      // What was understood of the trace comes to what is there.
      const whole = await replay(notes, calls, calls.length);
      expect({ ...whole.visible(), '.rouxrc.json': notes['.rouxrc.json'] }).toEqual(states.at(-1));

      const faults: string[] = [];
      const seen = new Set<string>();
      let [tried, completed] = [0, 0];
      for (const count of sample(upTo(calls.length + 1), 40)) {
        const answered = answers.filter((index) => index < count).length;
        for (const how of isLong ? (['kill', 'power', { seed: count + seed }] as const) : ([count % 2 === 0 ? 'kill' : 'power'] as const)) {
          const left = (await replay(notes, calls, count)).crash(how).all();
          const digest = createHash('sha256')
            .update(JSON.stringify([left, answered]))
            .digest('hex');
          if (seen.has(digest)) continue;
          seen.add(digest);
          tried++;
          fill(vault, left);
          const started = await cliProcess(['stats', '--vault', vault.root]);
          const label = `${describeCrash(how)} after call ${count} (${JSON.stringify(calls[count - 1])?.slice(0, 120)}), ${answered} answered`;
          if (started.status !== 0) faults.push(`${label}: does not start: ${started.stderr}`);
          const found = snapshot(vault);
          const [old, next = old] = states.slice(answered, answered + 2);
          if (!sameFiles(found, old!) && !sameFiles(found, next!)) faults.push(`${label}: neither old nor new: ${JSON.stringify(found)}`);
          if (answered < session.length && sameFiles(found, next!)) completed++;
          const journal = vault.exists('.roux/journal') ? vault.list('.roux/journal') : [];
          if (journal.length > 0) faults.push(`${label}: left over ${journal.join()}`);
        }
      }
      if (isLong) console.log(`${calls.length} calls traced, ${tried} different crash states, ${completed} completed at the start`);
      expect(faults).toEqual([]);
      expect(tried).toBeGreaterThan(3);
    }));
});
