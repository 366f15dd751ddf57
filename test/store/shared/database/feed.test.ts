import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { readCommits, findFiles, readFilesAt, readListing } from '../../../../src/store/shared/database/feed.ts';
import { FORMAT, readFormat, migrate, checkFormat } from '../../../../src/store/shared/database/migrate.ts';
import { prune } from '../../../../src/store/shared/database/prune.ts';
import { sha } from '../../../support/postgres/commits.ts';
import { lost, scriptedConnection, VAULT } from './scripted-session.ts';
import type { Question, ScriptedConnection } from './scripted-session.ts';

const STATE = { seq: '9', kept_after: '2', format: FORMAT };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('commits after a number', () => {
  const head = { head: '9', kept_after: '2', format: FORMAT };
  const row = (seq: number, path: string | null, rest: object = {}) => ({
    ...head,
    seq: String(seq),
    batch: `batch ${seq}`,
    agent: 'ada',
    machine: 'a',
    operation: 'test',
    at: 'then',
    op: path === null ? null : 'update',
    path,
    old_path: null,
    before: sha('before'),
    hash: sha('text'),
    size: '4',
    event: { path },
    text: null,
    ...rest,
  });

  it('come with their changes, in order', async () => {
    const connection = scriptedConnection(() => [
      row(3, 'a.md'),
      row(3, 'b.md', { old_path: 'old.md' }),
      row(4, null),
      row(5, 'c.md', { text: base64('text') }),
    ]);
    const change = { op: 'update', oldPath: null, before: sha('before'), hash: sha('text'), size: 4 };
    const shared = { agent: 'ada', machine: 'a', operation: 'test', at: 'then' };
    expect(await readCommits(connection, VAULT, 2)).toEqual([
      {
        ...shared,
        seq: 3,
        batch: 'batch 3',
        changes: [
          { ...change, path: 'a.md', event: { path: 'a.md' } },
          { ...change, path: 'b.md', oldPath: 'old.md', event: { path: 'b.md' } },
        ],
      },
      { ...shared, seq: 4, batch: 'batch 4', changes: [] },
      {
        ...shared,
        seq: 5,
        batch: 'batch 5',
        changes: [{ ...change, path: 'c.md', event: { path: 'c.md' }, content: Buffer.from('text') }],
      },
    ]);
    expect(connection.asked[0]).toMatchObject({ name: 'feed 100 false', values: [7, 2] });
    expect(connection.asked[0]?.text).toContain('LIMIT 100)');
  });

  it('are none where there are none, and null where they are no longer retained', async () => {
    const none = { ...row(1, null), seq: null, batch: null };
    expect(
      await readCommits(
        scriptedConnection(() => [none]),
        VAULT,
        9,
      ),
    ).toEqual([]);
    expect(
      await readCommits(
        scriptedConnection(() => [none]),
        VAULT,
        2,
      ),
    ).toEqual([]);
    expect(
      await readCommits(
        scriptedConnection(() => [row(3, 'a.md')]),
        VAULT,
        1,
      ),
    ).toBe(null);
    await expect(readCommits(scriptedConnection(), VAULT, 1)).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
    await expect(
      readCommits(
        scriptedConnection(() => [{ ...none, format: FORMAT + 1 }]),
        VAULT,
        9,
      ),
    ).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      details: { format: FORMAT + 1, known: FORMAT },
    });
  });

  it('come with contents where they are asked for', async () => {
    const connection = scriptedConnection(() => [row(3, 'a.md')]);
    await readCommits(connection, VAULT, 2, 5.5, { withContents: true });
    await readCommits(connection, VAULT, 2, 5, {});
    expect(connection.asked.map(({ name }) => name)).toEqual(['feed 5.5 true', 'feed 5 false']);
    expect(connection.asked[0]?.text).toContain('LIMIT 5)');
    expect(connection.asked.map(({ text }) => text.includes("encode(s.bytes, 'base64')"))).toEqual([true, false]);
  });
});

describe('files', () => {
  const fileOf = (path: string, rest: object = {}) => ({ path, hash: sha(path), size: '3', seq: '4', ...rest });

  it('are found by the names that were asked for', async () => {
    const connection = scriptedConnection(() => [fileOf('A.md', { at: 2 })]);
    const found = await findFiles(connection, VAULT, ['none.md', 'a.md']);
    expect([...found]).toEqual([['a.md', { path: 'A.md', hash: sha('A.md'), size: 3, seq: 4 }]]);
  });

  /** Answers with this many files, and with what else is asked. */
  const vaultOf = (count: number, touched: readonly object[] = []): ScriptedConnection =>
    scriptedConnection(({ name, text, values }) => {
      if (name === 'state') return [STATE];
      if (text.includes('DISTINCT ON')) return touched;
      if (name !== 'listing') return [];
      const after = (values[1] as Buffer).length === 0 ? -1 : (values[1] as Buffer).readUInt32BE();
      return Array.from({ length: Math.min(20_000, count - after - 1) }, (_, index) => {
        const fold = Buffer.alloc(4);
        fold.writeUInt32BE(after + 1 + index);
        return { path: `${after + 1 + index}.md`, hash: 'h', size: '3', seq: '4', fold: fold.toString('hex') };
      });
    });

  it('are listed in pages, as of one moment', async () => {
    for (const [count, pages] of [
      [0, 1],
      [19_999, 1],
      [20_000, 2],
      [20_001, 2],
    ] as const) {
      const connection = vaultOf(count);
      const listing = await readListing(connection, VAULT);
      expect([listing.seq, new Set(listing.files.map(({ path }) => path)).size]).toEqual([9, count]);
      expect(connection.asked.filter(({ name }) => name === 'listing')).toHaveLength(pages);
      expect([connection.asked[0]?.text, connection.asked.at(-1)?.text]).toEqual([
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
        'COMMIT',
      ]);
    }
  });

  it('as of an earlier commit are what each was before the first one that touched it', async () => {
    const touched = [
      { path: '0.md', before: null },
      { path: '1.md', before: 'earlier' },
      { path: 'gone.md', before: 'there' },
    ];
    const connection = vaultOf(3, touched);
    expect([...((await readFilesAt(connection, VAULT, 4)) ?? [])]).toEqual([
      ['1.md', 'earlier'],
      ['2.md', 'h'],
      ['gone.md', 'there'],
    ]);
    expect(connection.asked.find(({ text }) => text.includes('DISTINCT ON'))?.text.match(/seq > 4\b/g)).toHaveLength(2);
    for (const [seq, isKept] of [
      [1, false],
      [2, true],
      [9, true],
      [10, false],
    ] as const)
      expect((await readFilesAt(vaultOf(1), VAULT, seq)) !== null, String(seq)).toBe(isKept);
  });
});

describe('pruning', () => {
  /** Answers with so many keys, changes and contents without use, a few at a time, as the statements say. */
  function pruned({ keys = 0, changes = 0, unused = [] as readonly number[], isDue = true } = {}): ScriptedConnection {
    const left = { keys, changes };
    const some = (what: 'keys' | 'changes'): readonly object[] => {
      const count = Math.min(500, left[what]);
      left[what] -= count;
      return Array.from({ length: count }, () => ({}));
    };
    return scriptedConnection(({ name, text }) => {
      if (name === 'state' || text.includes('FOR NO KEY UPDATE')) return [STATE];
      if (text.includes('SET pruned_at')) return isDue ? [{}] : [];
      if (text.includes('SET key = NULL')) return some('keys');
      if (text.includes('DELETE FROM roux.change')) return some('changes');
      if (text.includes('AS size')) return unused.map((size, index) => ({ hash: Buffer.from([index]), size: String(size) }));
      return [];
    });
  }
  const asked = (connection: ScriptedConnection, part: string) => connection.asked.filter(({ text }) => text.includes(part));

  it('is done by who asks, or where it is due by the first', async () => {
    const later = pruned({ isDue: false });
    expect(await prune(later, VAULT, { ifDue: true })).toBe(null);
    expect(later.asked).toHaveLength(1);
    expect(await prune(pruned(), VAULT, { ifDue: true })).toBe(2);
    const now = pruned();
    expect(await prune(now, VAULT, {})).toBe(2);
    expect([asked(now, 'SET pruned_at'), asked(now, 'SET kept_after'), asked(now, 'DELETE FROM roux.change')]).toEqual([[], [], []]);
  });

  it('goes in steps of five hundred, until none is left', async () => {
    for (const [count, steps] of [
      [0, 1],
      [499, 1],
      [500, 2],
      [1_000, 3],
    ] as const) {
      const connection = pruned({ keys: count, changes: count });
      await prune(connection, VAULT, { keepDays: 30 });
      expect([asked(connection, 'SET key = NULL').length, asked(connection, 'DELETE FROM roux.change').length]).toEqual([steps, steps]);
      expect(asked(connection, 'SET kept_after').map(({ values }) => values)).toEqual([[30]]);
    }
  });

  it('ends contents that nothing refers to a few megabytes at a time, each time under the row', async () => {
    const MB = 1024 * 1024;
    const connection = pruned({ unused: [3 * MB, MB, 1] });
    await prune(connection, VAULT, {});
    expect(asked(connection, 'DELETE FROM roux.blob').map(({ values }) => values)).toEqual([
      [[Buffer.from([0]), Buffer.from([1])]],
      [[Buffer.from([2])]],
    ]);
    expect(asked(connection, 'DELETE FROM roux.blob')[0]?.text).toContain('c.seq > 9 ');
    expect(asked(connection, 'FOR NO KEY UPDATE')).toHaveLength(2);
    const gone = pruned({ unused: [1] });
    const other = scriptedConnection((question) => (question.text.includes('FOR NO KEY UPDATE') ? [] : answerOf(gone, question)));
    await expect(prune(other, VAULT, {})).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
    expect(asked(other, 'DELETE FROM roux.blob')).toEqual([]);
  });

  /** What another connection would answer. */
  const answerOf = async (other: ScriptedConnection, { text, values, name }: Question): Promise<unknown> =>
    other.query({ text, values, ...(name === undefined ? {} : { name }) });
});

describe('the format of the tables', () => {
  /** Tables of this format in a database that keeps text so. */
  function tablesOf(format: number, { encoding = 'UTF8', error = null as Error | null, isLostThen = false, others = 0 } = {}) {
    const state = { format };
    const connection: ScriptedConnection = scriptedConnection(({ text }) => {
      if (text.includes('AS is_there')) return [{ is_there: state.format > 0 }];
      if (text.includes('max(number)')) return [{ number: state.format }];
      if (text.includes('server_encoding')) return [{ encoding }];
      // While this one waits for its turn, others may bring the tables further.
      if (text.includes('pg_advisory_xact_lock')) state.format = Math.max(state.format, others);
      const made = /INSERT INTO roux\.migration \(number\) VALUES \((\d+)\)/.exec(text)?.[1];
      if (made !== undefined && error !== null) {
        if (isLostThen) connection.lose();
        throw error;
      }
      if (made !== undefined) state.format = Number(made);
      return [];
    });
    return { connection, state, made: () => connection.asked.flatMap(({ text }) => /VALUES \((\d+)\)/.exec(text)?.[1] ?? []) };
  }
  const place = { ...VAULT.store, user: 'a"b', database: 'd"b' };

  it('is the number of the last one that was made', async () => {
    expect(await readFormat(tablesOf(0).connection)).toBe(0);
    expect(await readFormat(tablesOf(3).connection)).toBe(3);
    expect(await readFormat(scriptedConnection())).toBe(0);
    expect(await readFormat(scriptedConnection(({ text }) => (text.includes('AS is_there') ? [{ is_there: true }] : [])))).toBe(0);
  });

  it('is reached step by step, each in a transaction', async () => {
    const { connection, state, made } = tablesOf(1);
    await migrate(connection, place, ['one', 'two', 'three']);
    expect([state.format, made()]).toEqual([3, ['2', '3']]);
    const steps = connection.asked
      .filter(({ text }) => /advisory|INSERT|^COMMIT/.test(text))
      .map(({ text }) => /advisory|two|three|COMMIT/.exec(text)?.[0]);
    expect(steps).toEqual(['advisory', 'two', 'COMMIT', 'advisory', 'three', 'COMMIT']);
    expect(connection.asked.some(({ text }) => text.includes('CREATE SCHEMA'))).toBe(false);
    expect(connection.asked.find(({ text }) => text.includes('UPDATE roux.vault SET format = 2'))?.timeoutMs).toBe(600_000);
    const first = tablesOf(0);
    await migrate(first.connection, place, ['one']);
    expect([first.made(), first.connection.asked.filter(({ text }) => text.includes('CREATE SCHEMA roux')).length]).toEqual([['1'], 1]);
  });

  it('that is there already is left as it is, and a newer one is refused', async () => {
    const same = tablesOf(2);
    await migrate(same.connection, place, ['one', 'two']);
    expect(same.made()).toEqual([]);
    await expect(migrate(tablesOf(3).connection, place, ['one', 'two'])).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      details: { format: 3, known: 2 },
    });
    // Another machine was faster.
    const faster = tablesOf(1, { others: 2 });
    await migrate(faster.connection, place, ['one', 'two']);
    expect(faster.made()).toEqual([]);
    await expect(migrate(tablesOf(1, { others: 3 }).connection, place, ['one', 'two'])).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(() => checkFormat(FORMAT, place)).not.toThrow();
    expect(() => checkFormat(FORMAT + 1, place)).toThrow('Update roux on this machine');
  });

  it('is not made in a database that does not keep text as UTF-8', async () => {
    const latin = tablesOf(0, { encoding: 'LATIN1' });
    await expect(migrate(latin.connection, place)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('has the encoding LATIN1'),
    });
    expect(latin.made()).toEqual([]);
  });

  it('that cannot be reached is tried again, and a role without the right gets an error that says which one it needs', async () => {
    const failing = tablesOf(1, { error: new RouxError('IO_ERROR', 'no') });
    await expect(migrate(failing.connection, place, ['one', 'two'])).rejects.toMatchObject({ code: 'IO_ERROR', message: 'no' });
    expect(failing.connection.asked.at(-1)?.text).toBe('ROLLBACK');
    await expect(migrate(tablesOf(1, { error: new Error('no') }).connection, place, ['one', 'two'])).rejects.toThrow('no');
    await expect(migrate(tablesOf(1, { error: lost(), isLostThen: true }).connection, place, ['one', 'two'])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    const forbidden = tablesOf(1, { error: new RouxError('FORBIDDEN', 'no') });
    await expect(migrate(forbidden.connection, place, ['one', 'two'])).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('GRANT CREATE ON DATABASE "d""b" TO "a""b".'),
      details: { role: 'a"b' },
    });
  });
});
