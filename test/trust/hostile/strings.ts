import { join } from 'node:path';
import type { Random } from '../../support/random.ts';
import type { Ground } from './ground.ts';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A name as roux gives its transactions: of now, of long ago, of the far future, or one that sorts first. */
export function someId(random: Random): string {
  const time = random.pick([() => Date.now(), () => 1_000_000_000_000, () => 0, () => 281_474_976_710_655, () => Date.now() + 1e11])();
  let head = '';
  for (let left = time, digit = 0; digit < 10; digit++, left = Math.floor(left / 32)) head = `${DIGITS[left % 32] ?? '0'}${head}`;
  return head + Array.from({ length: 16 }, () => DIGITS[random.below(32)]).join('');
}

/** Paths that lead out of the vault, into hidden folders, or to what cannot be a file's name. */
export function hostilePaths({ vault, outside }: Pick<Ground, 'vault' | 'outside'>): readonly string[] {
  const up = '../'.repeat(vault.split('/').length);
  return [
    '../outside/made.md',
    '../outside/private.md',
    `${up}${outside.slice(1)}/made.md`,
    join(outside, 'made.md'),
    '/etc/roux-planted.md',
    'kept/../../outside/made.md',
    './../outside/made.md',
    '..\\outside\\made.md',
    '.obsidian/plugins/x/main.js',
    '.obsidian/app.md',
    '.git/hooks/post-checkout',
    '.GIT/config',
    '.roux/history/2026-01.jsonl',
    '.Roux/x.md',
    'node_modules/x.md',
    'out-folder/made.md',
    'out-folder/private.md',
    'out-note.md',
    'a\0b.md',
    'line\nbreak.md',
    'esc\u001b[31mred\u001b[0m.md',
    `${'long-'.repeat(60)}.md`,
    `${'deep/'.repeat(600)}x.md`,
    'con.md',
    '~/x.md',
    '%2e%2e/outside/private.md',
    'file:///etc/passwd',
    '',
    '.',
    '..',
    '/',
    'x.md/',
    'x.md/y.md',
  ];
}

/** Texts that no caller has a use for. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u001b]0;title\u0007\u001b[2J',
  '\u202egnp.exe',
  '\ud800',
  'e\u0301\u0301\u0301',
  'İ',
  'ﷺ'.repeat(40),
  '(a+)+$',
  '[[',
  '[[a#b|c]]',
  '"',
  '-',
  '---\nid: x\n---\n',
  '---js\nprocess.exit(7)\n---\n',
  'tag: path: type: ""',
  '[id:*] -x "unclosed',
  '*'.repeat(200),
  'x'.repeat(5_000),
  `${'[['.repeat(2_000)}`,
  `${'- '.repeat(2_000)}x`,
  '99999999999999999999999999',
  '-1',
  'NaN',
  '${7*7} {{x}} `id` $(id) ; id',
  '\r\n\r\n',
  '\ufeffx',
  'null',
  '{"a":',
];

/** JSON that is deep, has keys twice, or keys that are no plain names. */
export function hostileJson(random: Random): string {
  return random.pick([
    () => '['.repeat(20_000),
    () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    () => `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    () => '{"id":1,"id":2,"id":"x"}',
    () => '{"seq":1e999,"timestamp":"x","x":-1e999}',
    () => 'null',
    () => '[]',
    () => '""',
    () => '0',
    () => '{"a":1',
    () => '\ufeff{}',
    () => '\u0000'.repeat(4_096),
    () => Buffer.from(Array.from({ length: 2_000 }, () => random.below(256))).toString('latin1'),
    () => '',
    () => '\n\n\n',
    () => 'true\nfalse\n',
  ])();
}
