import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../support/effort.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { randomOf } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';
import { notePath as note } from '../scenarios.ts';

/** How an editor replaces a file by a text, as traced. */
const strategies: Readonly<Record<string, (path: string, text: string) => Promise<void>>> = {
  async 'in place'(path, text) {
    const file = openSync(path, 'w');
    await setImmediate();
    writeSync(file, text);
    closeSync(file);
  },
  async 'in place, slowly'(path, text) {
    const file = openSync(path, 'w');
    for (const part of [text.slice(0, 10), text.slice(10)]) {
      await setTimeout(3);
      writeSync(file, part);
    }
    closeSync(file);
  },
  async 'temporary and rename'(path, text) {
    writeFileSync(`${path}.tmp`, text);
    await setImmediate();
    renameSync(`${path}.tmp`, path);
  },
  async 'backup and create'(path, text) {
    renameSync(path, `${path}~`);
    await setImmediate();
    writeFileSync(path, text);
    rmSync(`${path}~`);
  },
  async 'remove and create'(path, text) {
    rmSync(path);
    await setImmediate();
    writeFileSync(path, text);
  },
};

describe('a person who saves while roux writes', () => {
  for (const [name, save] of Object.entries(strategies)) {
    it(`F19 ${name}: the text is in the note or in a conflict copy, and no file is torn`, async () => {
      const random = randomOf(name);
      const losses: string[] = [];
      for (const round of rounds(8, Object.keys(strategies).length)) {
        await withVault({ 'a.md': '---\nrev: 1\n---\nText\n\n## Observations\n\n- one\n' }, async (vault) => {
          const { root } = vault;
          const writer = openTestWriter({ root });
          const mine = `---\nrev: 1\n---\nText, mine ${round}\n\n## Observations\n\n- one\n`;
          const etag = writer.graph.get('a.md')?.hash ?? '';
          const changes =
            round % 2 === 0
              ? [{ op: 'add-line' as const, section: 'Observations', line: 'two' }]
              : [{ op: 'body' as const, text: 'Replaced\n' }];
          const write = writer
            .write({ operation: 'test', agent: 'ada' }, () => ({
              files: [{ kind: 'change', path: note('a.md'), changes, ...(round % 2 === 0 ? {} : { expect: { etag } }) }],
            }))
            .catch((error: unknown) => error);
          const saving = setTimeout(random.next() * 8).then(() => save(vault.path('a.md'), mine));
          await Promise.allSettled([write, saving]);
          await setTimeout(5);
          await writer.close();
          const texts = vault
            .files()
            .filter((file) => file.endsWith('.md'))
            .map((file) => vault.read(file));
          if (!texts.some((text) => text.includes(`mine ${round}`))) losses.push(`round ${round}: ${JSON.stringify(texts)}`);
          if (!texts.every((text) => text.startsWith('---\nrev: 1\n---\n') && text.endsWith('\n')))
            losses.push(`round ${round}, torn: ${JSON.stringify(texts)}`);
        });
      }
      expect(losses).toEqual([]);
    });
  }
});

it('the strategies of this test do save', async () => {
  await withVault({ 'a.md': 'old\n' }, async (vault) => {
    for (const [name, save] of Object.entries(strategies)) {
      await save(vault.path('a.md'), `saved by ${name}\n`);
      expect(vault.read('a.md')).toBe(`saved by ${name}\n`);
    }
  });
});
