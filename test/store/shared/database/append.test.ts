import { describe, expect, it } from 'vitest';
import { appendCommit, findKey } from '../../../../src/store/shared/database/append.ts';
import { hashFold } from '../../../../src/store/shared/database/feed.ts';
import type { NewCommit, SharedChange } from '../../../../src/store/shared/shared-vault.ts';
import { change, commitOf, sha } from '../../../support/postgres/commits.ts';
import { scriptedConnection, VAULT } from './scripted-session.ts';
import type { Question, ScriptedConnection } from './scripted-session.ts';

/** A store with these files, by path and text, and with these other contents. */
function storeOf(files: Readonly<Record<string, string>> = {}, contents: readonly string[] = []): ScriptedConnection {
  return scriptedConnection(({ name, values }) => {
    if (name !== 'look') return [];
    const [folds, hashes] = (values.slice(1) as readonly (readonly Buffer[])[]).map((list) => list.map((each) => each.toString('hex')));
    const texts = [...Object.values(files), ...contents];
    return [
      ...Object.entries(files)
        .map(([path, text]) => ({ fold: hashFold(path).toString('hex'), path, hash: sha(text) }))
        .filter(({ fold }) => folds?.includes(fold)),
      ...texts.map((text) => ({ fold: null, path: '', hash: sha(text) })).filter(({ hash }) => hashes?.includes(hash)),
    ];
  });
}

const append = (connection: ScriptedConnection, commit: NewCommit): Promise<number> => appendCommit(connection, VAULT, 4, commit);
const asked = ({ asked: all }: ScriptedConnection, part: string): Question | undefined =>
  all.find(({ name, text }) => name === part || text.trim().startsWith(part));
/** The values of the statement that writes a commit, from `$1` on. */
const written = (connection: ScriptedConnection): readonly unknown[] => asked(connection, 'append')?.values ?? [];

describe('a commit that is appended', () => {
  it('has the next number, and is written in one statement', async () => {
    const connection = storeOf({ 'old.md': 'old', 'gone.md': 'gone', 'same.md': 'same' });
    const changes = [
      change('new.md', null, 'new'),
      change('moved.md', 'old', 'moved', 'old.md'),
      change('gone.md', 'gone', null),
      { ...change('same.md', 'same', 'other'), event: undefined },
    ];
    const key = { key: 'k', payloadHash: 'p', answer: { a: 1 } };
    expect(await append(connection, commitOf(changes, { batch: 'batch', key }))).toBe(5);
    expect(asked(connection, 'DELETE FROM roux.file')?.values).toEqual([7, [hashFold('old.md'), hashFold('gone.md')]]);
    expect(asked(connection, 'free')?.values).toEqual([7, 'k']);
    const bytes = (text: string): Buffer => Buffer.from(sha(text), 'hex');
    const given = [bytes('new'), bytes('moved'), bytes('other')];
    const put = ['new', 'moved', 'other'].toSorted((a, b) => (sha(a) < sha(b) ? -1 : 1));
    expect(written(connection)).toEqual([
      7,
      5,
      ['new.md', 'moved.md', 'same.md'].map(hashFold),
      ['new.md', 'moved.md', 'same.md'],
      given,
      [3, 5, 5],
      ['create', 'rename', 'delete', 'update'],
      ['new.md', 'moved.md', 'gone.md', 'same.md'],
      [null, 'old.md', null, null],
      [null, bytes('old'), bytes('gone'), bytes('same')],
      [given[0], given[1], null, given[2]],
      [3, 5, 0, 5],
      [...changes.slice(0, 3).map(({ event }) => JSON.stringify(event)), 'null'],
      'batch',
      'tester',
      'a',
      'update_node',
      '2026-01-05T12:00:00.000Z',
      'k',
      'p',
      '{"a":1}',
      put.map(bytes),
      put.map((text) => Buffer.from(text)),
    ]);
  });

  it('without a key, or with an answer of nothing, keeps none', async () => {
    const connection = storeOf();
    await append(connection, commitOf([change('a.md', null, 'a')]));
    expect([asked(connection, 'free'), asked(connection, 'DELETE'), written(connection).slice(18, 21)]).toEqual([
      undefined,
      undefined,
      [null, null, null],
    ]);
    const other = storeOf();
    await append(other, commitOf([], { key: { key: 'k', payloadHash: 'p', answer: undefined } }));
    expect(written(other).slice(18, 21)).toEqual(['k', 'p', 'null']);
  });

  it('sends contents that are not there: small ones along with it, large ones before', async () => {
    const connection = storeOf({}, ['there']);
    await append(
      connection,
      commitOf([change('a.md', null, 'there'), change('b.md', null, 'x'.repeat(65_531)), change('c.md', null, 'there')]),
    );
    expect(asked(connection, 'INSERT INTO roux.blob')).toBe(undefined);
    expect(written(connection)[21]).toEqual([Buffer.from(sha('x'.repeat(65_531)), 'hex')]);
    expect(asked(connection, 'look')?.values[2]).toHaveLength(2);
    const exact = storeOf();
    await append(exact, commitOf([change('a.md', null, 'a'.repeat(32_768)), change('b.md', null, 'b'.repeat(32_768))]));
    expect([asked(exact, 'INSERT INTO roux.blob'), (written(exact)[21] as unknown[]).length]).toEqual([undefined, 2]);
    const large = storeOf();
    await append(large, commitOf([change('a.md', null, 'a'.repeat(32_768)), change('b.md', null, 'b'.repeat(32_769))]));
    expect(asked(large, 'INSERT INTO roux.blob')?.values).toHaveLength(7);
    expect([written(large)[21], written(large)[22]]).toEqual([[], []]);
  });

  it('whose contents are neither given nor stored is refused before anything is written', async () => {
    const connection = storeOf({}, ['there']);
    const commit = commitOf([change('a.md', null, 'there'), change('b.md', null, 'missing'), change('c.md', null, 'given')]);
    const blobs = new Map([...commit.blobs].filter(([hash]) => hash === sha('given')));
    await expect(append(connection, { ...commit, blobs })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('does not have 1 of the contents'),
      details: { hashes: [sha('missing')] },
    });
    expect(connection.asked.map(({ name }) => name)).toEqual(['look']);
  });
});

describe('a commit that does not fit', () => {
  const refused = (files: Readonly<Record<string, string>>, ...changes: Parameters<typeof commitOf>[0]) =>
    append(storeOf(files), commitOf(changes)).then(
      () => 'appended',
      (error: { code?: string; message: string; details?: unknown }) => ({
        code: error.code,
        details: error.details,
        message: error.message,
      }),
    );

  it('is about files that are others by now', async () => {
    const files = { 'a.md': 'a', 'Case.md': 'c' };
    expect(await refused(files, change('a.md', 'a', 'b'), change('Case.md', 'c', null))).toBe('appended');
    expect(await refused(files, change('a.md', 'before', 'b'), change('none.md', 'x', null), change('Case.md', 'c', 'd'))).toMatchObject({
      code: 'CONFLICT',
      message: 'In the store a.md, none.md are not what the changes start from.',
      details: { paths: ['a.md', 'none.md'] },
    });
    // Another form of the name is not the name.
    expect(await refused(files, change('new.md', 'c', 'c', 'case.md'))).toMatchObject({
      code: 'CONFLICT',
      message: 'In the store case.md is not what the changes start from.',
      details: { paths: ['case.md'] },
    });
  });

  it('takes a name that is another file’s, unless that leaves it', async () => {
    const files = { 'Taken.md': 'a', 'b.md': 'b' };
    expect(await refused(files, change('taken.md', null, 'x'))).toMatchObject({
      code: 'NODE_EXISTS',
      details: { path: 'taken.md', existing: 'Taken.md' },
    });
    expect(await refused(files, change('taken.md', 'b', 'b', 'b.md'))).toMatchObject({ code: 'NODE_EXISTS' });
    expect(await refused(files, change('taken.md', 'a', 'a', 'Taken.md'))).toBe('appended');
    expect(await refused(files, change('Taken.md', 'a', null), change('taken.md', 'b', 'b', 'b.md'))).toBe('appended');
    expect(await refused(files, change('Taken.md', 'b', 'b', 'b.md'), change('b.md', 'a', 'a', 'Taken.md'))).toBe('appended');
    expect(await refused(files, change('new.md', null, 'x'), change('Taken.md', 'a', null))).toBe('appended');
  });

  it('is about one file, or one name, twice', async () => {
    const files = { 'a.md': 'a', 'b.md': 'b' };
    for (const changes of [
      [change('x.md', null, 'x'), change('X.md', null, 'y')],
      [change('a.md', 'a', 'x'), change('c.md', 'a', 'a', 'A.md')],
      [change('c.md', 'a', 'a', 'a.md'), change('c.md', 'b', 'b', 'b.md')],
      [change('a.md', 'a', null), change('a.md', 'a', 'b')],
    ])
      expect(await refused(files, ...changes)).toMatchObject({ message: expect.stringMatching(/^Two changes of one commit are about /) });
  });

  it('has a name with half of a character', async () => {
    expect(await refused({}, change('\ud83d.md', null, 'x'))).toMatchObject({ code: 'INVALID_ENCODING', details: { path: '\ud83d.md' } });
    expect(await refused({}, change('😀.md', null, 'x'))).toBe('appended');
  });

  it('has changes that are not whole', async () => {
    const hash = sha('x');
    const whole: Readonly<Record<SharedChange['op'], Pick<SharedChange, 'oldPath' | 'before' | 'hash'>>> = {
      create: { oldPath: null, before: null, hash },
      update: { oldPath: null, before: hash, hash },
      rename: { oldPath: 'o.md', before: hash, hash },
      delete: { oldPath: null, before: hash, hash: null },
    };
    const files = { 'p.md': 'x', 'o.md': 'x' };
    for (const op of ['create', 'update', 'rename', 'delete'] as const) {
      for (const [wrong, value] of [
        [null, null],
        ['oldPath', whole[op].oldPath === null ? 'o.md' : null],
        ['before', whole[op].before === null ? hash : null],
        ['hash', whole[op].hash === null ? hash : null],
      ] as const) {
        const one = {
          op,
          path: op === 'create' || op === 'rename' ? 'new.md' : 'p.md',
          size: 1,
          event: null,
          text: 'x',
          ...whole[op],
          ...(wrong === null ? {} : { [wrong]: value }),
        };
        const result = await refused(files, one);
        expect(typeof result === 'string' ? result : result.message, `${op} ${wrong}`).toContain(
          wrong === null ? 'appended' : `is not a complete ${op}`,
        );
      }
    }
  });
});

describe('what was done under a key', () => {
  it('is the first answer, or null', async () => {
    const row = { seq: '5', id: 'batch', payload_hash: 'p', answer: { a: 1 } };
    const connection = scriptedConnection(() => [row]);
    expect(await findKey(connection, VAULT, 'k')).toEqual({ payloadHash: 'p', answer: { a: 1 }, batch: 'batch', seq: 5 });
    expect(connection.asked[0]?.values).toEqual([7, 'k']);
    expect(await findKey(scriptedConnection(), VAULT, 'k')).toBe(null);
  });
});
