import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { rounds } from '../../support/effort.ts';
import { openMcp, withMcp } from '../../support/program/mcp-client.ts';
import type { ToolAnswer } from '../../support/program/mcp-client.ts';
import { randomOf } from '../../support/random.ts';
import type { TestVault } from '../../support/vault.ts';
import { withVault } from '../../support/vault.ts';
import { leftovers } from '../leftovers.ts';

const preload = fileURLToPath(new URL('failing-disk.mjs', import.meta.url));
/** The file that says when the disk fails. It is looked at before each call. */
const CONTROL = '.disk';

const notes = {
  '.rouxrc.json': '{"filenames": "title"}\n',
  'a.md': '---\nrev: 1\n---\nText\n',
  'Name 0.md': 'Named.\n',
  'links.md': 'See [[Name 0]] and ![[Name 0]].\n',
};

/** Which of a round's writes are there, each wholly or not at all; what contradicts that, in words. */
function look(vault: TestVault, round: number, name: string): { readonly there: readonly boolean[]; readonly faults: readonly string[] } {
  const files = vault.files();
  const made = files.includes(`Made ${round}.md`);
  const names = files.flatMap((path) => /^(Name \d+)\.md$/.exec(path)?.[1] ?? []);
  const links = [...vault.read('links.md').matchAll(/\[\[(.*?)\]\]/g)].map(([, target]) => target);
  const faults = [
    ...(made && !vault.read(`Made ${round}.md`).endsWith(`Body ${round}\n`) ? [`Made ${round} is half there`] : []),
    ...(names.length === 1 && links.every((target) => target === names[0]) ? [] : [`the links ${links.join()} lead to ${names.join()}`]),
  ];
  return { there: [made, vault.read('a.md').includes(`\nk${round}: ${round}\n`), names[0] !== name], faults };
}

it('F05 a disk that fails from some call on and goes on failing: clear errors, nothing acknowledged is lost, nothing half done, reading goes on, and when it works again so does everything', () =>
  withVault(notes, async (vault) => {
    const random = randomOf('a failing disk');
    const env = { TEST_DISK: vault.path(CONTROL) };
    const flags = ['--toolsets', 'all'];
    const faults: string[] = [];
    let [refused, acknowledged] = [0, 0];
    const session = await openMcp(vault, { preload, env, flags });
    try {
      for (const round of rounds(4)) {
        const code = random.pick(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS']);
        // At once, in the middle of the first write, or in that of a later one.
        const after = (round % 3 === 2 ? 100 : 0) + random.below(round % 3 === 0 ? 4 : 90);
        const title = vault.files().flatMap((path) => /^(Name \d+)\.md$/.exec(path)?.[1] ?? [])[0] ?? '';
        const label = `round ${round}, ${code} after ${after} calls`;
        writeFileSync(vault.path(CONTROL), `${code} ${after}`);
        const answers: ToolAnswer[] = [];
        for (const [tool, args] of [
          ['create_node', { title: `Made ${round}`, content: `Body ${round}\n` }],
          ['update_node', { id: 'a.md', properties: { [`k${round}`]: round } }],
          ['update_node', { id: title, title: `Name ${round + 1}` }],
        ] as const)
          answers.push(await session.call(tool, args));
        const read = await session.call('get_node', { id: 'a.md' });
        if (read.isError) faults.push(`${label}: reading was refused: ${read.texts.join()}`);
        // Whoever starts now reads too, though nothing can be put right before the disk works.
        if (random.chance(0.3)) await withMcp(vault, ({ ask }) => ask('get_node', { id: 'links.md' }), { preload, env });
        const wanted = code === 'EIO' ? 'IO_ERROR' : code === 'EROFS' ? 'READ_ONLY' : 'NO_SPACE';
        for (const { isError, texts } of answers)
          if (isError && ![wanted, 'IO_ERROR', 'UNKNOWN_OUTCOME'].some((each) => texts.join().includes(each)))
            faults.push(`${label}: answered ${texts.join()}`);
        writeFileSync(vault.path(CONTROL), '');
        // The first write after it ends or takes back what was begun.
        await session.ask('update_node', { id: 'a.md', tags: [`t${round}`] });
        const { there, faults: found } = look(vault, round, title);
        faults.push(...found.map((fault) => `${label}: ${fault}`));
        answers.forEach(({ isError }, index) => {
          if (isError) refused++;
          else acknowledged++;
          if (!isError && !there[index]) faults.push(`${label}: write ${index} was acknowledged and is not there`);
        });
        faults.push(...leftovers(vault).map((name) => `${label}: left over ${name}`));
        const { counts } = await session.ask('vault_health', { rebuild: true });
        if (Object.keys(counts as object).length > 0) faults.push(`${label}: vault_health finds ${JSON.stringify(counts)}`);
      }
    } finally {
      await session.close();
    }
    expect(faults).toEqual([]);
    expect([refused > 0, acknowledged > 0]).toEqual([true, true]);
  }));
