import { describe, expect, it } from 'vitest';
import { beginnings, startNotes } from '../../crash/kills/beginnings.ts';
import { chooseWork, operationNames } from '../../crash/kills/operations.ts';
import { rounds, seed } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { randomOf } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const AGENT = 'writer';
const all = { flags: ['--toolsets', 'all', '--agent', AGENT] };
/** What takes back or brings back is tried by itself. */
const NAMES = operationNames.filter((name) => !name.startsWith('undo') && name !== 'restore' && name !== 'doctor --fix');

const FILES = {
  ...startNotes,
  'notes/Plain.md': 'No frontmatter, see [[Note 0]].\r\nNor a last line end: [[note 1#Part|one]]',
  'notes/Dated.md': '---\nupdated_at: "2020-01-01" # by hand\n---\n[[Note 2]]\n',
  'board.canvas': '{"nodes":[{"id":"a","type":"file","file":"notes/Note 0.md"},{"id":"b","type":"file","file":"notes/Plain.md"}]}\n',
};

/** Every file, its revision and time of change aside. */
function snapshot(vault: TestVault): Readonly<Record<string, string>> {
  return Object.fromEntries(
    vault.files().map((file) => [
      file,
      vault
        .read(file)
        .replace(/^rev: \d+$/m, 'rev: N')
        .replace(/^updated_at: .+$/m, 'updated_at: T'),
    ]),
  );
}

const batchesOf = (vault: TestVault): readonly string[] =>
  vault.exists('.roux/history/batches')
    ? vault
        .list('.roux/history/batches')
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length))
    : [];

interface Step {
  readonly what: string;
  /** When it began. */
  readonly since: string;
  readonly before: Readonly<Record<string, string>>;
  readonly batches: readonly string[];
}

/** So many random writes of tools and commands, and the vault before each. */
async function writeMuch(vault: TestVault, { call }: McpSession, random: Random, count: number): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (let turn = 0; steps.length < count; turn++) {
    const chosen = chooseWork(random.pick(NAMES), vault, random, `m${turn}`)?.work;
    if (chosen === undefined) continue;
    const works = chosen.kind === 'command' ? [chosen] : chosen.calls;
    for (const work of works) {
      const [before, known, since] = [snapshot(vault), new Set(batchesOf(vault)), new Date().toISOString()];
      if ('tool' in work) await call(work.tool, work.args);
      else await cli([...work.args, '--vault', vault.root], { env: { ROUX_AGENT: AGENT } });
      const batches = batchesOf(vault).filter((batch) => !known.has(batch));
      const what = 'tool' in work ? `${work.tool} ${JSON.stringify(work.args)}` : work.args.join(' ');
      if (batches.length > 0) steps.push({ what, since, before, batches });
    }
  }
  return steps;
}

/** Takes a batch back: what was said where it was refused, and the batch that this wrote, if any. Nothing to take back is taken back. */
async function undo(
  vault: TestVault,
  batch: string | undefined,
): Promise<{ readonly refusal: string; readonly batch: string | undefined }> {
  if (batch === undefined) return { refusal: '', batch };
  const known = new Set(batchesOf(vault));
  const { status, stderr } = await cli(['undo', batch, '--vault', vault.root]);
  return { refusal: status === 0 ? '' : stderr, batch: batchesOf(vault).find((each) => !known.has(each)) };
}

/** Runs in a fresh vault that all kinds of tools have written to. */
const withBeginnings = (run: (vault: TestVault, session: McpInside) => Promise<void>): Promise<void> =>
  withVault(FILES, (vault) =>
    withServer(
      vault,
      async (session) => {
        for (const { tool, args } of beginnings) await session.ask(tool, { ...args });
        await run(vault, session);
      },
      all,
    ),
  );

describe('undo', () => {
  it('E-27 any sequence of writes taken back newest first gives the first bytes back, but for rev and updated_at', async () => {
    for (const round of rounds(1))
      await withBeginnings(async (vault, session) => {
        const steps = await writeMuch(vault, session, randomOf(`undo ${round}`), 12);
        for (const { what, before, batches } of steps.toReversed()) {
          for (const batch of batches.toReversed()) {
            expect((await undo(vault, batch)).refusal, what).toBe('');
          }
          expect(snapshot(vault), `seed ${seed}, round ${round}: ${what}`).toEqual(before);
        }
      });
  });

  it('E-27 the same in one undo of all that an agent wrote', async () => {
    for (const round of rounds(1))
      await withBeginnings(async (vault, session) => {
        const steps = await writeMuch(vault, session, randomOf(`undo at once ${round}`), 12);
        const [first] = steps;
        await cli(['undo', '--by', AGENT, '--since', String(first?.since), '--vault', vault.root]).then(({ status, stderr }) =>
          expect([status, stderr], `seed ${seed}, round ${round}: ${steps.map(({ what }) => what).join('\n')}`).toEqual([0, '']),
        );
        expect(snapshot(vault), `seed ${seed}, round ${round}`).toEqual(first?.before);
      });
  });

  it('E-27 a note that took the name of one that was renamed goes, in one undo of both, and comes back with the undo of that', () =>
    withVault({ 'plan.md': 'Old\n', 'b.md': '[[plan]] [[c]]\n', 'c.md': 'C\n', 'x.png': 'old' }, async (vault) => {
      const run = async (...args: readonly string[]): Promise<void> => {
        const { status, stderr } = await cli([...args, '--vault', vault.root]);
        // The old name of a renamed note is an alias of it.
        expect([status, stderr.replace(/^"c" is also the name of plan\.md\. .*\n/, '')]).toEqual([0, '']);
      };
      const before = snapshot(vault);
      // One after the other takes the name that the one before had.
      await run('rename', 'plan', 'plan 2025', '--agent', AGENT);
      await run('rename', 'c', 'plan', '--agent', AGENT);
      await run('create', 'c', '--content', 'New', '--agent', AGENT);
      await run('update', 'plan', '--set', '{"status":"open"}', '--agent', AGENT);
      const after = snapshot(vault);
      const known = new Set(batchesOf(vault));
      await run('undo', '--by', AGENT);
      expect(snapshot(vault)).toEqual(before);
      await run('undo', String(batchesOf(vault).find((each) => !known.has(each))));
      expect(snapshot(vault)).toEqual(after);
      expect((await cli(['fsck', '--vault', vault.root])).status).toBe(0);
    }));

  it('E-27 a time without a name is refused, and takes back nothing', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      await cli(['create', 'b', '--content', 'B', '--vault', vault.root]);
      const before = snapshot(vault);
      expect(await cli(['undo', '--since', '2020-01-01', '--vault', vault.root])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('--since needs --by NAME'),
      });
      expect(snapshot(vault)).toEqual(before);
    }));

  it('E-27 in any other order it is taken back, and can be made again, or is refused and changes nothing', async () => {
    for (const round of rounds(1))
      await withBeginnings(async (vault, session) => {
        const random = randomOf(`undo in any order ${round}`);
        const steps = [...(await writeMuch(vault, session, random, 12))];
        while (steps.length > 0) {
          const [step] = steps.splice(random.below(steps.length), 1);
          const before = snapshot(vault);
          const undone = await undo(vault, step?.batches.at(-1));
          const between = snapshot(vault);
          expect(undone.refusal, step?.what).toMatch(/^$|was changed after batch/);
          const again = await undo(vault, undone.batch);
          expect({ refusal: again.refusal, files: snapshot(vault) }, `seed ${seed}, round ${round}: ${step?.what}`).toEqual({
            refusal: '',
            files: before,
          });
          await undo(vault, again.batch);
          expect(snapshot(vault), step?.what).toEqual(between);
        }
      });
  });
});
