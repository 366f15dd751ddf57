import { describe, expect, it } from 'vitest';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { isLong } from '../../support/effort.ts';
import { change, commitOf, filesOf, replay, sha, write } from '../../support/postgres/commits.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';

/** Writes of each of four machines. */
const TURNS = isLong ? 250 : 75;

describe.skipIf(!hasPostgres)('one order for all machines', () => {
  const store = useStore();
  const four = (name: string): Promise<readonly [SharedVault, SharedVault, SharedVault, SharedVault]> =>
    Promise.all([
      store.open(name, { machine: 'a' }),
      store.open(name, { machine: 'b' }),
      store.open(name, { machine: 'c' }),
      store.open(name, { machine: 'd' }),
    ]);

  it('P-02 four machines write at once: each commit once, in one order, whoever reads them', async () => {
    const machines = await four('thousand');
    const numbers = await Promise.all(
      machines.map(async (vault, index) => {
        const own: number[] = [];
        for (let count = 0; count < TURNS; count += 1) {
          // Everybody adds to one file, whose text tells whether anybody missed what was before, and makes one of their own.
          own.push(
            await vault.commitUnderLock(async (turn) => {
              const file = (await turn.findFiles(['log.md'])).get('log.md');
              const before = file === undefined ? null : String(await turn.getBlob(file.hash));
              const line = `${index}.${count}\n`;
              return turn.append(
                commitOf([change('log.md', before, `${(before ?? '').slice(-40)}${line}`), change(`${index}/${count}.md`, null, line)], {
                  machine: `${index}`,
                }),
              );
            }),
          );
        }
        return own;
      }),
    );
    expect(numbers.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 4 * TURNS }, (_, index) => index + 1));
    for (const own of numbers) expect(own).toEqual([...own].sort((a, b) => a - b));

    const [first, ...others] = await Promise.all(
      machines.map(async (vault) => {
        const batches: string[] = [];
        for (let seq = 0; seq < 4 * TURNS; seq += 100) {
          for (const commit of (await vault.feed.commitsAfter(seq)) ?? []) {
            expect(commit.seq).toBe(batches.length + 1);
            batches.push(commit.batch);
          }
        }
        return batches;
      }),
    );
    expect(new Set(first).size).toBe(4 * TURNS);
    for (const other of others) expect(other).toEqual(first);

    const files = await filesOf(machines[0]);
    expect(Object.keys(files)).toHaveLength(4 * TURNS + 1);
    for (const vault of machines) expect(await replay(vault)).toEqual(files);
  });

  it('P-03 of four machines with one idempotency key one writes, the others get its answer; another payload is refused', async () => {
    const machines = await four('keys');
    const answers = await Promise.all(
      machines.map((vault, index) =>
        vault.commitUnderLock(async (turn) => {
          const done = await turn.findKey('once');
          if (done !== null) return done;
          const key = { key: 'once', payloadHash: 'p', answer: { made: index, text: 'nul \u0000 and half \ud800' } };
          await turn.append(commitOf([change(`made-${index}.md`, null, 'x')], { key }));
          return null;
        }),
      ),
    );
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
    const winner = answers.indexOf(null);
    const [commit] = (await machines[0].feed.commitsAfter(0)) ?? [];
    const answer = { payloadHash: 'p', answer: { made: winner, text: 'nul \u0000 and half \ud800' }, batch: commit?.batch, seq: 1 };
    expect(answers.filter((each) => each !== null)).toEqual([answer, answer, answer]);
    expect(Object.keys(await filesOf(machines[1]))).toEqual([`made-${winner}.md`]);

    // By the clock of the store a week later, the key is one that was never used.
    await store.cluster.sql("UPDATE roux.batch SET expires = clock_timestamp() WHERE key = 'once'", 'team');
    const again = await machines[2].commitUnderLock(async (turn) => {
      expect(await turn.findKey('once')).toBeNull();
      return turn.append(commitOf([change('again.md', null, 'x')], { key: { key: 'once', payloadHash: 'q', answer: null } }));
    });
    expect(again).toBe(2);
    expect(await machines[3].commitUnderLock((turn) => turn.findKey('once'))).toMatchObject({ payloadHash: 'q', seq: 2 });
  });

  it('P-05 of two machines that rename towards one name one wins and the other gets an error; nothing of its rename has happened', async () => {
    const [a, b] = await Promise.all([store.open('renames', { machine: 'a' }), store.open('renames', { machine: 'b' })]);
    await write(a, [change('one.md', null, '1'), change('two.md', null, '2')]);
    const results = await Promise.allSettled([
      write(a, [change('Notes/New.md', '1', '1', 'one.md')]),
      // The same name, in another form.
      write(b, [change('notes/NEW.md', '2', '2', 'two.md'), change('three.md', null, '3')]),
    ]);
    const [lost] = results.filter((result) => result.status === 'rejected');
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(lost?.reason).toMatchObject({ code: 'NODE_EXISTS', details: { existing: expect.stringMatching(/new\.md/i) } });
    expect(Object.keys(await filesOf(a))).toHaveLength(results[0]?.status === 'fulfilled' ? 2 : 3);
    expect(await replay(b)).toEqual(await filesOf(a));
  });

  it('P-05 two files swap their names in one commit, and one changes the case of its own', async () => {
    const vault = await store.open('swaps');
    await write(vault, [change('a.md', null, 'A'), change('b.md', null, 'B'), change('café.md', null, 'c')]);
    await write(vault, [change('b.md', 'A', 'A', 'a.md'), change('a.md', 'B', 'B!', 'b.md'), change('CAFÉ.md', 'c', 'c', 'café.md')]);
    expect(await filesOf(vault)).toEqual({ 'CAFÉ.md': sha('c'), 'a.md': sha('B!'), 'b.md': sha('A') });
    // One is deleted while another one takes its name.
    await write(vault, [change('a.md', 'B!', null), change('a.md', 'A', 'A', 'b.md')]);
    expect(await filesOf(vault)).toEqual({ 'CAFÉ.md': sha('c'), 'a.md': sha('A') });
    expect(await replay(vault)).toEqual(await filesOf(vault));
    expect(Object.fromEntries((await vault.feed.filesAt(1)) ?? [])).toEqual({ 'a.md': sha('A'), 'b.md': sha('B'), 'café.md': sha('c') });
    expect(Object.fromEntries((await vault.feed.filesAt(2)) ?? [])).toEqual({ 'CAFÉ.md': sha('c'), 'a.md': sha('B!'), 'b.md': sha('A') });
    expect((await vault.feed.filesAt(0))?.size).toBe(0);
  });

  it('P-03 what a file was before is compared: a stale change is refused, and the lock stays held', async () => {
    const vault = await store.open('stale');
    await write(vault, [change('a.md', null, '1')]);
    const seq = await vault.commitUnderLock(async (turn) => {
      const refused = [
        turn.append(commitOf([change('a.md', 'other', '2')])),
        turn.append(commitOf([change('A.md', '1', '2')])),
        turn.append(commitOf([change('gone.md', 'x', null)])),
        turn.append(commitOf([change('b.md', 'other', '1', 'a.md')])),
      ];
      for (const each of refused) await expect(each).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(turn.append(commitOf([change('a.md', null, '2')]))).rejects.toMatchObject({ code: 'NODE_EXISTS' });
      await expect(turn.append(commitOf([change('n.md', null, 'new')], { blobs: new Map() }))).rejects.toMatchObject({
        code: 'NOT_FOUND',
        details: { hashes: [sha('new')] },
      });
      expect(turn.seq).toBe(1);
      await turn.append(commitOf([change('a.md', '1', '2')]));
      // What was appended counts within the turn.
      return turn.append(commitOf([change('a.md', '2', '3')]));
    });
    expect([seq, await vault.feed.head(), await filesOf(vault)]).toEqual([3, 3, { 'a.md': sha('3') }]);
  });

  it('P-02 all commits under one lock happen together, or none when it rejects', async () => {
    const [a, b] = await Promise.all([store.open('together'), store.open('together')]);
    const thrown = a.commitUnderLock(async (turn) => {
      await turn.append(commitOf([change('a.md', null, '1')]));
      await turn.append(commitOf([change('b.md', null, '1')]));
      expect(await b.feed.head()).toBe(0);
      throw new Error('the plan failed');
    });
    await expect(thrown).rejects.toThrow('the plan failed');
    expect([await b.feed.head(), await filesOf(b)]).toEqual([0, {}]);
    // What a turn that is over still tries comes into nothing else.
    let late = Promise.resolve('');
    await a.commitUnderLock(async (turn) => {
      const tooLate = async (): Promise<string> => {
        await b.feed.head();
        return turn.append(commitOf([])).then(String, String);
      };
      late = tooLate();
    });
    expect(await late).toBe('Error: The lock of the vault is released.');
    expect(await b.feed.head()).toBe(0);
  });

  it('P-13 the clocks of machines are shown and order nothing', async () => {
    const [early, late] = await Promise.all([store.open('clocks'), store.open('clocks')]);
    await write(late, [change('a.md', null, '1')], { at: '2026-01-06T12:00:00.000Z' });
    await write(early, [change('a.md', '1', '2')], { at: '2026-01-04T12:00:00.000Z' });
    const commits = (await early.feed.commitsAfter(0)) ?? [];
    expect(commits.map(({ seq, at }) => [seq, at])).toEqual([
      [1, '2026-01-06T12:00:00.000Z'],
      [2, '2026-01-04T12:00:00.000Z'],
    ]);
  });
});
