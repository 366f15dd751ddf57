import { expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { notePath } from '../../crash/scenarios.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { Killed, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

it('F46 F55 a journal of very many files is cleared with one look at each folder', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    const COUNT = 300;
    const idOf = (count: number): string => `01h${String(count).padStart(23, '0')}`;
    for (let count = 0; count < COUNT; count++) {
      vault.write(`.roux/journal/${idOf(count)}.0`, '');
      if (count % 3 === 0) vault.write(`.roux/journal/${idOf(count)}.json`, '');
    }
    let looks = 0;
    const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
      list(folder) {
        if (folder.startsWith('.roux/journal')) looks++;
        return real.list(folder);
      },
    }));
    const writer = openTestWriter({ root: vault.root, files });
    await writer.recover();
    await writer.close();
    expect(looks).toBeLessThan(10);
    expect(vault.list('.roux/journal')).toEqual(['rejected']);
    // What a damaged intent was to use is kept beside it; what has no intent was never committed.
    const kept = Array.from({ length: COUNT }, (_, count) => idOf(count)).filter((_, count) => count % 3 === 0);
    expect(vault.list('.roux/journal/rejected').toSorted()).toEqual(kept.flatMap((id) => [`${id}.0`, `${id}.json`]));
  }));

it('F09 a write that was done, but for clearing up, is completed also where the power took its events and a person has saved one of its notes since', async () => {
  const disk = simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' });
  const open = (on: typeof disk, pid: number) =>
    openTestWriter({ root: on.root, files: on.files, reader: on.reader, identity: simulatedProcess(pid) });
  const body = (path: string, text: string) => ({ kind: 'change', path: notePath(path), changes: [{ op: 'body', text }] }) as const;
  // Killed when the intent is about to become the batch: what was staged is gone by then.
  disk.onCall(({ method, path }) => {
    if (method === 'rename' && /^\.roux\/history\/batches\/\w+\.json$/.test(path)) throw new Killed(path);
  });
  const meta = { operation: 'test', agent: 'ada' };
  await open(disk, 1)
    .write(meta, () => ({ files: [body('a.md', 'A2\n'), body('b.md', 'B2\n')] }))
    .catch(() => undefined);
  const next = disk.afterKill();
  const segments = (): readonly string[] => Object.keys(next.all()).filter((path) => /^\.roux\/history\/\d{4}-\d{2}\.jsonl$/.test(path));
  expect(segments()).toHaveLength(1);
  for (const path of segments()) next.remove(path);
  next.save('b.md', 'B by a person\n');
  const restarted = open(next, 2);
  await restarted.recover();
  expect(next.visible()).toEqual({ 'a.md': 'A2\n', 'b.md': 'B by a person\n' });
  const { events } = await restarted.history({ node: 'a.md', limit: 10 });
  expect(events.map(({ agent, action }) => [agent, action])).toEqual([['ada', 'updated']]);
  expect(restarted.log.join()).toContain('was completed');
});
