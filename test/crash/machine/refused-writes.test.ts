import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isLong, rounds } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import { randomOf } from '../../support/random.ts';
import type { TestVault } from '../../support/vault.ts';
import { withVault } from '../../support/vault.ts';
import { sameFiles } from '../crash-run.ts';
import { leftovers } from '../leftovers.ts';

const preload = fileURLToPath(new URL('failing-disk.mjs', import.meta.url));
/** The file that says when the disk fails. */
const CONTROL = '.disk';

const notes = {
  '.rouxrc.json': '{"filenames": "title"}\n',
  'log.md': '---\nrev: 1\n---\nText\n',
  'Name 0.md': 'Named.\n',
  'links.md': 'See [[Name 0]] and ![[Name 0]].\n',
  'part/one.md': 'One, see [[two]].\n',
  'part/two.md': 'Two.\n',
};

/** Every file of the vault with its text. */
function snapshot(vault: TestVault): Readonly<Record<string, string>> {
  return Object.fromEntries(vault.files().map((path) => [path, vault.read(path)]));
}

interface Write {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How often its effect is in the vault. */
  readonly effects: (vault: TestVault) => number;
}

/** The writes of a round, each of which can be told by its mark. */
function writesOf(vault: TestVault, mark: string): readonly Write[] {
  const count = (text: string, part: string): number => text.split(part).length - 1;
  const [name = ''] = vault.files().flatMap((path) => /^(Name .+)\.md$/.exec(path)?.[1] ?? []);
  const [folder = ''] = vault.files().flatMap((path) => /^(part.*)\/one\.md$/.exec(path)?.[1] ?? []);
  const inLog = (text: string) => (of: TestVault) => count(of.read('log.md'), text);
  return [
    {
      tool: 'create_node',
      args: { title: `Made ${mark}`, content: 'Body\n' },
      effects: (of) => count(of.files().join(), `Made ${mark}.md`),
    },
    { tool: 'update_node', args: { id: 'log.md', append: `plain ${mark}.` }, effects: inLog(`plain ${mark}.`) },
    {
      tool: 'update_node',
      args: { id: 'log.md', append: `keyed ${mark}.`, idempotency_key: `key ${mark}` },
      effects: inLog(`keyed ${mark}.`),
    },
    { tool: 'update_node', args: { id: name, title: `Name ${mark}` }, effects: (of) => count(of.files().join(), `Name ${mark}.md`) },
    {
      tool: 'rename',
      args: { changes: [{ from: `${folder}/`, to: `part ${mark}/` }] },
      effects: (of) => count(of.files().join(), `part ${mark}/one.md`),
    },
    { tool: 'delete_node', args: { id: `gone ${mark}.md` }, effects: (of) => 1 - count(of.files().join(), `gone ${mark}.md`) },
    {
      tool: 'create_entities',
      args: { entities: [{ name: `Entity ${mark}`, entityType: 'thing', observations: ['seen'] }] },
      effects: (of) => count(of.files().join(), `Entity ${mark}.md`),
    },
  ];
}

it('H-09 a write that is refused by a disk that goes on failing never happens later, and one whose outcome is unknown can be looked up, undone, and repeated with its key', () =>
  withVault(notes, async (vault) => {
    const random = randomOf('refused writes');
    const faults: string[] = [];
    const answers = { done: 0, refused: 0, unknown: 0 };
    const session = await openMcp(vault, { preload, env: { TEST_DISK: vault.path(CONTROL) }, flags: ['--toolsets', 'all'] });
    try {
      for (const round of rounds(16)) {
        const mark = `m${round}x`;
        vault.write(`gone ${mark}.md`, 'To be deleted.\n');
        const { tool, args, effects } = random.pick(writesOf(vault, mark));
        const code = random.pick(['EIO', 'ENOSPC', 'EROFS', 'EACCES']);
        const calls = 4 + random.below(32);
        const label = `round ${round}, ${tool} ${JSON.stringify(args)}, ${code} after ${calls} calls`;
        await session.ask('get_node', { id: `gone ${mark}.md` });
        const before = snapshot(vault);
        writeFileSync(vault.path(CONTROL), `${code} ${calls}`);
        const answer = await session.call(tool, args);
        writeFileSync(vault.path(CONTROL), '');
        // Somebody starts who only reads, and asks the history, which ends what was left.
        const read = await cli(['history', 'log.md', '--vault', vault.root]);
        if (read.status !== 0 && !read.stderr.includes('No changes yet.')) faults.push(`${label}: a reader is refused: ${read.stderr}`);
        const said = answer.texts.join();
        const batch = /\b[0-9a-z]{26}\b/.exec(said)?.[0] ?? '';
        const hasHappened = effects(vault) === 1;
        if (!answer.isError) {
          answers.done += 1;
          if (!hasHappened) faults.push(`${label}: answered ${said}, and is not there`);
        } else if (!said.includes('UNKNOWN_OUTCOME')) {
          answers.refused += 1;
          if (!sameFiles(snapshot(vault), before)) faults.push(`${label}: answered ${said}, and then: ${JSON.stringify(snapshot(vault))}`);
        } else {
          answers.unknown += 1;
          if (batch === '') faults.push(`${label}: no batch in ${said}`);
        }
        if (answer.isError && (args['idempotency_key'] !== undefined || !said.includes('UNKNOWN_OUTCOME'))) {
          const again = await session.call(tool, args);
          if (again.isError) faults.push(`${label}: the repeat is answered ${again.texts.join()}`);
          if (effects(vault) !== 1) faults.push(`${label}: ${effects(vault)} effects after a repeat`);
        } else if (answer.isError) {
          const undone = await cli(['undo', batch, '--vault', vault.root]);
          if ((undone.status === 0) !== hasHappened)
            faults.push(`${label}: ${hasHappened ? 'it happened' : 'it did not happen'}, and undo says ${undone.stdout}${undone.stderr}`);
        }
        // What was done and not cleared up is with the next write.
        await session.ask('update_node', { id: 'links.md', tags: [mark] });
        faults.push(...leftovers(vault).map((path) => `${label}: left over ${path}`));
        const { counts } = await session.ask('vault_health', {});
        if (Object.keys(counts as object).length > 0) faults.push(`${label}: vault_health finds ${JSON.stringify(counts)}`);
      }
    } finally {
      await session.close();
    }
    if (isLong) console.log(`refused writes: ${JSON.stringify(answers)}`);
    expect(faults).toEqual([]);
    expect(Object.values(answers).every((count) => count > 0)).toBe(true);
  }));
