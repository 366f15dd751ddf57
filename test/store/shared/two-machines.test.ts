import { describe, expect, it } from 'vitest';
import type { SharedStore } from '../../../src/store/shared/shared-store.ts';
import type { StoreChange } from '../../../src/store/store.ts';
import { openSimulatedCopy } from '../../support/simulated/simulated-copy.ts';
import { failure, Killed, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedStore } from '../../support/simulated/simulated-store.ts';
import { testPorts } from '../../support/test-ports.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

function machine(store: ReturnType<typeof simulatedStore>, name: string, disk: SimulatedDisk = simulatedDisk({}), pid = 1) {
  const [copy = ''] = name.split(' ');
  const shared = openSimulatedCopy({ disk, ports: testPorts(), machine: name, copy, process: pid, connect: () => store.connect(name) });
  return { disk, shared };
}

/** The machine is killed between the commit of what was edited there and its note: the line before says that it is about to be made. */
async function killedBeforeItIsNoted({ disk, shared }: ReturnType<typeof machine>): Promise<void> {
  let lines = 0;
  disk.onCall(({ method, path }) => {
    if (method === 'append' && path === '.roux/shared.jsonl' && (lines += 1) === 2) throw new Killed();
  });
  await expect(shared.sync()).rejects.toThrow(Killed);
}

const create = (path: string, text: string): StoreChange => {
  const events = [{ node: path, path, action: 'created' as const, changes: [] }];
  return { kind: 'create', path, bytes: bytes(text), events, describe: () => events };
};
const write = (shared: SharedStore, changes: readonly StoreChange[]) =>
  shared.transact({ operation: 'test', agent: 'ada' }, async () => ({ changes }));

describe('two machines', () => {
  it('what one writes the other has', async () => {
    const store = simulatedStore();
    const [a, b] = [machine(store, 'a'), machine(store, 'b')];
    await write(a.shared, [create('one.md', 'One\n')]);
    await b.shared.sync();
    expect(b.disk.visible()).toEqual({ 'one.md': 'One\n' });
    b.disk.save('one.md', 'One\nTwo\n');
    b.shared.touched('');
    a.disk.save('one.md', 'Zero\n\nOne\n');
    a.shared.touched('');
    await b.shared.sync();
    await a.shared.sync();
    await b.shared.sync();
    expect(a.disk.visible()).toEqual(b.disk.visible());
    expect(a.disk.visible()).toEqual({ 'one.md': 'Zero\n\nOne\nTwo\n' });
  });

  it('P-14 a mark of another copy that comes while the folder is followed is not believed', async () => {
    const store = simulatedStore();
    const [a, b] = [machine(store, 'a'), machine(store, 'b')];
    await write(a.shared, [create('one.md', 'One\n')]);
    await b.shared.sync();
    a.disk.save('one.md', 'One\nTwo\n');
    a.shared.touched('');
    await a.shared.sync();
    // A sync service brings the mark, and not the file.
    b.disk.save('.roux/shared.jsonl', a.disk.all()['.roux/shared.jsonl'] ?? '');
    b.shared.touched('');
    await b.shared.sync();
    await a.shared.sync();
    for (const { disk } of [a, b]) expect(disk.visible()).toEqual({ 'one.md': 'One\nTwo\n' });
  });

  it('P-08 a folder without rights holds nothing up, and what is in it was removed by nobody', async () => {
    const store = simulatedStore();
    const [a, b] = [machine(store, 'a'), machine(store, 'b')];
    await write(a.shared, [create('sub/one.md', 'One\n'), create('sub/two.md', 'Two\n')]);
    await b.shared.sync();
    b.disk.onCall(({ method, path }) => {
      if (path.startsWith('sub/') || (path === 'sub' && method === 'list')) throw failure('EACCES', path);
    });
    b.disk.save('edited.md', 'Edited\n');
    b.shared.touched(null);
    await b.shared.sync();
    await write(b.shared, [create('made.md', 'Made\n')]);
    await a.shared.sync();
    const others = { 'edited.md': 'Edited\n', 'made.md': 'Made\n' };
    expect(a.disk.visible()).toEqual({ 'sub/one.md': 'One\n', 'sub/two.md': 'Two\n', ...others });
    a.disk.save('sub/one.md', 'One, more\n');
    a.disk.save('late.md', 'Late\n');
    a.shared.touched(null);
    await a.shared.sync();
    await b.shared.sync();
    expect(b.disk.visible()['late.md']).toBe('Late\n');
    b.disk.onCall(null);
    b.disk.save('sub/two.md', 'Two of b\n');
    b.shared.touched('sub');
    await b.shared.sync();
    await a.shared.sync();
    for (const { disk } of [a, b])
      expect(disk.visible()).toEqual({ 'sub/one.md': 'One, more\n', 'sub/two.md': 'Two of b\n', 'late.md': 'Late\n', ...others });
  });

  it('P-06 a file made under a name that another left, before the machine had noted that the store has that, is a file of its own', async () => {
    const store = simulatedStore();
    const [a, b] = [machine(store, 'a'), machine(store, 'b')];
    await write(a.shared, [create('one.md', 'One\n')]);
    await b.shared.sync();
    b.disk.remove('one.md');
    b.disk.save('moved.md', 'One\n');
    b.shared.touched('');
    await killedBeforeItIsNoted(b);
    const again = machine(store, 'b again', b.disk.afterKill(), 2);
    again.disk.save('one.md', 'Another\n');
    await again.shared.sync();
    await a.shared.sync();
    for (const { disk } of [a, again]) expect(disk.visible()).toEqual({ 'moved.md': 'One\n', 'one.md': 'Another\n' });
  });

  it('P-06 an edit that was pushed, before the machine had noted it, and that a person goes on with, meets nobody', async () => {
    const store = simulatedStore();
    const [a, b] = [machine(store, 'a'), machine(store, 'b')];
    await write(a.shared, [create('one.md', 'One\n')]);
    await b.shared.sync();
    b.disk.save('one.md', 'One, edited\n');
    b.shared.touched('', 'one.md');
    await killedBeforeItIsNoted(b);
    const again = machine(store, 'b again', b.disk.afterKill(), 2);
    again.disk.save('one.md', 'One, edited once more\n');
    await again.shared.sync();
    await a.shared.sync();
    expect(store.state.feed.map(({ operation }) => operation)).toEqual(['test', 'edit', 'edit']);
    for (const { disk } of [a, again]) expect(disk.visible()).toEqual({ 'one.md': 'One, edited once more\n' });
  });

  it('P-19 several commits that were put in place at once are not taken back where a crash came while that was cleared up', async () => {
    const store = simulatedStore();
    const [a, b] = [machine(store, 'a'), machine(store, 'b')];
    await write(a.shared, [create('one.md', 'One\n')]);
    await b.shared.sync();
    for (const name of ['two', 'three', 'four', 'five']) await write(a.shared, [create(`${name}.md`, `${name}\n`)]);
    b.disk.onCall(({ method, path }) => {
      if (method === 'rename' && /^\.roux\/history\/batches\/.*\.json$/.test(path)) throw new Killed();
    });
    await expect(b.shared.sync()).rejects.toThrow(Killed);
    const again = machine(store, 'b again', b.disk.afterKill(), 2);
    await again.shared.recover();
    expect(again.disk.visible()).toEqual(a.disk.visible());
    expect(again.shared.upkeep.leftovers()).toEqual([]);
  });
});
