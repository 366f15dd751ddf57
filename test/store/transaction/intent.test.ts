import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeIntent, encodeIntent, isIntent, pathsOf, readIntent, findIntentFault } from '../../../src/store/transaction/intent.ts';
import type { Intent, Step } from '../../../src/store/transaction/intent.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';

const hash = 'a'.repeat(64);
const id = 'b'.repeat(26);
const mark = { by: 'folder', code: 'c'.repeat(64) } as const;
const origin = { sign: () => mark, isOurs: (_: string, found: unknown) => JSON.stringify(found) === JSON.stringify(mark) };
const rewrite = { before: hash, after: hash, changes: null, isCommutative: false };

function intentOf(steps: readonly Step[], folders: readonly string[] = []): Intent {
  return { format: 1, id, operation: 'test', agent: 'ada', timestamp: '2026-01-01T00:00:00.000Z', steps, events: [], folders };
}

describe('an intent in its file', () => {
  const intent = intentOf([{ kind: 'create', path: 'a.md', after: hash }]);
  const whole = encodeIntent(intent, origin);
  const text = whole.toString('utf8');
  const [head = '', line = ''] = text.split('\n');

  it('F01 is read as it was written, and known as written here or not', () => {
    expect(decodeIntent(whole, origin)).toEqual({ intent, isOurs: true });
    expect(decodeIntent(whole, { isOurs: () => false })).toEqual({ intent, isOurs: false });
    expect(JSON.parse(head)).toEqual({ format: 'roux-intent-1', sha256: createHash('sha256').update(line).digest('hex'), origin: mark });
  });

  it('F08 is none where any byte of it is missing, added or different', () => {
    for (let length = 0; length < whole.length; length++)
      expect(decodeIntent(whole.subarray(0, length), origin), String(length)).toBeUndefined();
    const others = [
      `${text}\n`,
      `${text}more\n`,
      text.replace('ada', 'eve'),
      text.replace('roux-intent-1', 'roux-intent-2'),
      `\n${line}\n`,
      `[]\n${line}\n`,
    ];
    others.push(
      `null\n${line}\n`,
      `7\n${line}\n`,
      `{"format":"roux-intent-1"}\n${line}\n`,
      `{"sha256":1}\n${line}\n`,
      `{\n${line}\n`,
      '\n',
      '',
    );
    for (const other of others) expect(decodeIntent(Buffer.from(other), origin), other).toBeUndefined();
  });

  it('F08 is none where what is signed is no JSON, and not ours where it is not signed', () => {
    const torn = '{"format":1';
    const sha256 = createHash('sha256').update(torn).digest('hex');
    expect(
      decodeIntent(Buffer.from(`${JSON.stringify({ format: 'roux-intent-1', sha256, origin: mark })}\n${torn}\n`), origin),
    ).toBeUndefined();
    const unsigned = JSON.stringify({ format: 'roux-intent-1', sha256: createHash('sha256').update(line).digest('hex') });
    expect(decodeIntent(Buffer.from(`${unsigned}\n${line}\n`), origin)).toEqual({ intent, isOurs: false });
  });

  it('F08 is one line and its end, whatever its checksum says', () => {
    const fileOf = (content: string, end: string): Buffer => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      return Buffer.from(`${JSON.stringify({ format: 'roux-intent-1', sha256, origin: mark })}\n${content}${end}`);
    };
    expect(decodeIntent(fileOf(line, '\n'), origin)).toEqual({ intent, isOurs: true });
    expect(decodeIntent(fileOf(line, 'x'), origin)).toBeUndefined();
    expect(decodeIntent(fileOf(JSON.stringify(intent, null, 1), '\n'), origin)).toBeUndefined();
  });

  it('F08 that was written elsewhere is not read beyond 16 MB, one that was written here is', () => {
    const large = encodeIntent({ text: 'x'.repeat(16 * 1024 * 1024) }, origin);
    expect(decodeIntent(large, origin)?.isOurs).toBe(true);
    expect(decodeIntent(large, { isOurs: () => false })).toBeUndefined();
    const lineOf = (bytes: number): string => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    const fits = encodeIntent(JSON.parse(lineOf(16 * 1024 * 1024 - 1)), origin);
    expect(decodeIntent(fits, { isOurs: () => false })?.isOurs).toBe(false);
  });

  it('F08 is read from a file, and is none where there is no file, or none with a head', () => {
    const disk = simulatedDisk({ 'whole.json': text, 'torn.json': 'torn', 'headless.json': 'x'.repeat(5_000), 'empty.json': '' });
    expect(readIntent(disk.files, 'whole.json', origin)).toEqual({ intent, isOurs: true });
    for (const path of ['torn.json', 'headless.json', 'empty.json', 'missing.json'])
      expect(readIntent(disk.files, path, origin), path).toBeUndefined();
    // What has no head is not read any further.
    disk.onCall(({ method, index }) => {
      if (method === 'read' && index > before) throw new Error('read once more');
    });
    const before = disk.calls.length;
    expect(readIntent(disk.files, 'torn.json', origin)).toBeUndefined();
  });

  it('F01 is refused where no recovery would read it', () => {
    const endless = {
      toJSON() {
        throw new RangeError('Invalid string length');
      },
    };
    expect(() => encodeIntent(endless, origin)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
    for (const error of [new RangeError('of another kind'), new TypeError('string length')])
      expect(() =>
        encodeIntent(
          {
            toJSON() {
              throw error;
            },
          },
          origin,
        ),
      ).toThrow(error);
  });
});

it('F08 the shape of an intent is checked to the last field', () => {
  const event = { seq: 1, timestamp: 't', node: 'a', path: 'a.md', agent: 'ada', action: 'created', changes: [{ field: 'x' }] };
  const key = { seq: 1, timestamp: 't', key: 'k', payload: 'p' };
  const steps: readonly Step[] = [
    { kind: 'create', path: 'a.md', after: hash },
    { kind: 'replace', path: 'a.md', ...rewrite },
    { kind: 'move', from: 'a.md', to: 'b.md', over: null, keepsFrom: false, ...rewrite },
    { kind: 'remove', path: 'a.md', before: hash, trash: null },
  ];
  const whole = { ...intentOf(steps, ['x']), events: [event], key };
  expect(isIntent(whole)).toBe(true);
  for (const field of Object.keys(whole).filter((each) => each !== 'key'))
    expect(isIntent({ ...whole, [field]: undefined }), field).toBe(false);
  expect(isIntent({ ...whole, key: undefined })).toBe(true);
  expect(isIntent({ ...whole, more: 1 })).toBe(false);
  expect(isIntent({ ...whole, events: [{ ...event, seq: 0 }] })).toBe(true);
  expect(isIntent({ ...whole, events: [{ ...event, seq: -1 }] })).toBe(false);
  expect(isIntent({ ...whole, key: { ...key, seq: 0 } })).toBe(true);
  expect(isIntent({ ...whole, key: { ...key, seq: -1 } })).toBe(false);
  expect(isIntent({ ...whole, format: 2 })).toBe(false);
});

it('F08 a step is about the names that it touches', () => {
  expect(pathsOf({ kind: 'create', path: 'a.md', after: hash })).toEqual(['a.md']);
  expect(pathsOf({ kind: 'move', from: 'a.md', to: 'b.md', over: null, keepsFrom: false, ...rewrite })).toEqual(['a.md', 'b.md']);
});

describe('why an intent is not carried out', () => {
  const create = (path: string): Step => ({ kind: 'create', path, after: hash });
  const remove = (path: string, trash: string | null): Step => ({ kind: 'remove', path, before: hash, trash });
  const home = `.roux/trash/${id}`;
  const files = { 'sub/file.md': 'x', 'folder.md/x.md': 'x', plain: 'x' };
  const why = (steps: readonly Step[], folders: readonly string[] = []): string | null =>
    findIntentFault(simulatedDisk(files).files, intentOf(steps, folders));

  it('F08 nothing speaks against what names files of the vault, and folders that they need', () => {
    expect(why([])).toBeNull();
    expect(why([create('new/deep/a.md'), create('sub/file.md')], ['new', 'new/deep'])).toBeNull();
    expect(why([remove('sub/file.md', `${home}/sub/file.md`), remove('gone.md', null)])).toBeNull();
  });

  const refused: readonly [string, readonly Step[], readonly string[], string][] = [
    ['a path outside', [create('../a.md')], [], 'not a file that roux may write'],
    ['a hidden file', [create('.git/config')], [], 'not a file that roux may write'],
    ['a file that no tool sees', [create('sub/.hidden.md')], [], 'not a file that roux may write'],
    ['a folder in the place of a file', [create('folder.md')], [], 'folder.md is not a regular file'],
    ['a file in the place of a folder', [create('plain/a.md')], [], 'plain is not a folder'],
    ['a second step', [create('a.md'), create('../a.md')], [], 'not a file that roux may write'],
    ['a trash elsewhere', [remove('a.md', 'b.md')], [], 'not a file that roux may write'],
    ['a trash of another', [remove('a.md', `.roux/trash/${'c'.repeat(26)}/a.md`)], [], 'not a file that roux may write'],
    ['a way out of the trash', [remove('a.md', `${home}/../../journal/x`)], [], 'not a file that roux may write'],
    ['a folder that no file needs', [create('new/a.md')], ['other'], '"other" is not a folder of its files'],
    ['a folder above the vault', [create('new/a.md')], [''], '"" is not a folder of its files'],
  ];
  for (const [what, steps, folders, fault] of refused) {
    it(`F08 ${what}`, () => {
      expect(why(steps, folders)).toContain(fault);
    });
  }

  it('F08 both names of a move count', () => {
    const move = (from: string, to: string): Step => ({ kind: 'move', from, to, over: null, keepsFrom: false, ...rewrite });
    expect(
      [why([move('a.md', 'b.md')]), why([move('../a.md', 'b.md')]), why([move('a.md', '../b.md')])].map((fault) => fault === null),
    ).toEqual([true, false, false]);
  });
});
