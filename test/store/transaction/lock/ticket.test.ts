import { expect, it } from 'vitest';
import type { FileState, FileSystem } from '../../../../src/store/folder/file-system.ts';
import { hasTicket, numberOf, ownerOf, parseRecord, parseTicket } from '../../../../src/store/transaction/lock/ticket.ts';
import { simulatedDisk } from '../../../support/simulated/simulated-disk.ts';

it('F17 numbers of the lock are the names that it could have counted to', () => {
  const names = ['0', '7', '7.free', '1000000000000', '1000000000001', '9999999999999', '10000000000000', '007', '-1', '7.freed', 'x7', ''];
  expect(names.map(numberOf)).toEqual([0, 7, 7, 1e12, null, null, null, null, null, null, null, null]);
});

it('F17 a number is free when it was given back, or when it is nothing that a holder makes', () => {
  const entries = [
    { name: '7', kind: 'file' },
    { name: '7.free', kind: 'file' },
    { name: '8', kind: 'folder' },
    { name: '9', kind: 'link' },
    { name: 'draft-1-x', kind: 'file' },
  ] as const;
  expect(entries.flatMap(parseTicket)).toEqual([
    { number: 7, isFree: false },
    { number: 7, isFree: true },
    { number: 8, isFree: true },
    { number: 9, isFree: true },
  ]);
});

it('F17 a draft and a waiting mark name their process', () => {
  expect(['draft-12-a', 'wait-3-b', 'draft-x-a', 'await-3-b', '12'].map(ownerOf)).toEqual([12, 3, null, null, null]);
});

it('F17 the file of a ticket is known by its inode and time of birth, and read where these do not tell', () => {
  const { files } = simulatedDisk({ '.roux/lock/1': '{"nonce":"mine"}', '.roux/lock/2': '{"nonce":"of another"}' });
  const own = files.stat('.roux/lock/1')!;
  let reads = 0;
  const lookedAt = (number: number, found: Partial<FileState>, made: Partial<FileState> = {}): readonly [boolean, number] => {
    reads = 0;
    const seen: FileSystem = {
      ...files,
      stat: () => ({ ...own, ...found }),
      read: (path, range) => (reads++, files.read(path, range)),
    };
    return [hasTicket(seen, { number, nonce: 'mine', file: { ...own, ...made } }), reads];
  };
  expect(lookedAt(1, {})).toEqual([true, 0]);
  for (const number of [1, 2]) {
    const isOwn = number === 1;
    // Another inode; the same one, which was given to another file; and a file system without times of birth.
    expect(lookedAt(number, { ino: own.ino + 1n })).toEqual([isOwn, 1]);
    expect(lookedAt(number, { birthNs: own.birthNs + 1n })).toEqual([isOwn, 1]);
    expect(lookedAt(number, { birthNs: 0n }, { birthNs: 0n })).toEqual([isOwn, 1]);
  }
});

it('F17 a ticket whose bytes do not name a process names none', () => {
  const record = { pid: 3, host: 'here', boot: 'b', start: null, namespace: null, machine: null, nonce: 'n' };
  expect(parseRecord(Buffer.from(JSON.stringify(record)))).toEqual(record);
  const { pid, host, boot } = record;
  const others = [
    '',
    '{',
    'null',
    '3',
    '"3"',
    '[]',
    '{}',
    { host, boot },
    { pid: '3', host, boot },
    { pid: 0.5, host, boot },
    { pid, boot },
    { pid, host },
  ];
  for (const other of others) {
    const text = typeof other === 'string' ? other : JSON.stringify(other);
    expect(parseRecord(Buffer.from(text)), text).toBeNull();
  }
});
