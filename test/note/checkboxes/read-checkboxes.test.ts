import { describe, expect, it } from 'vitest';
import { readFields } from '../../../src/note/checkboxes/checkbox-fields.ts';
import { readCheckboxes } from '../../../src/note/checkboxes/read-checkboxes.ts';

describe('checkboxes of a note', () => {
  it('T-09 are items of lists and quotes with any mark, with their line in the file and their heading; code is text', () => {
    const text = [
      '---',
      'title: x',
      '---',
      '- [ ] first',
      '# Shop',
      '* [x] milk',
      '  1. [-] nested',
      '> - [ ] quoted',
      '',
      '```',
      '- [ ] code',
      '```',
      '',
      '<div>',
      '- [ ] html',
      '</div>',
      '',
      'text - [ ] in a line',
      '- [] none',
      '- [ ]none',
      '- [link](x)',
      '- [ ]',
      '+ [/] half\r',
    ].join('\n');
    expect(readCheckboxes(text).map(({ line, state, text: own, section }) => [line, state, own, section])).toEqual([
      [3, ' ', 'first', ''],
      [5, 'x', 'milk', 'Shop'],
      [6, '-', 'nested', 'Shop'],
      [7, ' ', 'quoted', 'Shop'],
      [21, ' ', '', 'Shop'],
      [22, '/', 'half', 'Shop'],
    ]);
    expect(readCheckboxes(text.replaceAll('\n', '\r\n')).map(({ line }) => line)).toEqual([3, 5, 6, 7, 21, 22]);
  });

  it.each([
    ['call 📅 2026-01-31', 'call', { due: '2026-01-31' }],
    [
      'call ⏫ 🔁 every week 🛫 2026-01-01 ⏳ 2026-01-02 📅️ 2026-01-03',
      'call',
      { priority: 'high', repeats: 'every week', start: '2026-01-01', scheduled: '2026-01-02', due: '2026-01-03' },
    ],
    ['call 🔽 ➕ 2026-01-01 ✅ 2026-01-02', 'call', { priority: 'low', done: '2026-01-02' }],
    [
      'call [due:: 2026-01-31] [priority:: High] (repeat:: every day)',
      'call',
      { due: '2026-01-31', priority: 'high', repeats: 'every day' },
    ],
    ['call due:: 2026-01-31', 'call', { due: '2026-01-31' }],
    ['call @{2026-01-31}', 'call', { due: '2026-01-31' }],
    ['call 📅 2026-02-30', 'call 📅 2026-02-30', {}],
    ['call [due:: soon] at 5', 'call [due:: soon] at 5', {}],
    ['call 🆔 abc123 ⛔ x1,y2', 'call', {}],
    ['nothing [a:: b] 2026-01-01', 'nothing [a:: b] 2026-01-01', {}],
  ])('T-09 reads what people write about a task: %s', (written, text, fields) => {
    const read = readFields(written);
    expect(read.text.replaceAll(/ +/g, ' ').trim()).toBe(text);
    expect(read.fields).toEqual(fields);
  });
});
