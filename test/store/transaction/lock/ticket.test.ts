import { expect, it } from 'vitest';
import { numberOf, ownerOf, parseRecord, parseTicket } from '../../../../src/store/transaction/lock/ticket.ts';

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
