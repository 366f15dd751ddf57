import fc from 'fast-check';
import { formatCallout } from '../../src/importing/text/callout.ts';
import { quiet } from '../../src/importing/text/quiet.ts';

/** A picture that tells whoever shows it. */
export const IMAGE = '<img src="https://tracker.example/p.png">';

/** What has a meaning in Markdown, Obsidian or roux, and what surrounds it. */
const PIECES = [
  '[[',
  ']]',
  '[',
  ']',
  '(',
  ')',
  '|',
  '#',
  '#tag',
  '![',
  '!',
  '`',
  '``',
  '```',
  '~~~',
  '\n',
  '\n\n',
  '    ',
  '\t',
  '> ',
  '- ',
  '1. ',
  '* [ ] ',
  '- [x] ',
  '$',
  '$$',
  '\\',
  '\\[',
  '\\]',
  '\\(',
  '\\)',
  '::',
  'key:: v',
  '%%',
  '<',
  '>',
  '<b>',
  '<!--',
  '-->',
  '<script>',
  '---',
  '***',
  '^id',
  '|a|b|\n|-|-|\n',
  'dataviewjs',
  '$= x',
  'a',
  'word ',
  'é',
  '🌱',
  '\0',
  '\ue000n\ue001x\ue001\ue001\ue002',
  '\u202e',
  'https://x.y/#a',
  '[a](b.md)',
  '[a]: b.md',
  '{{x}}',
  '<%',
  '  ',
  '\\\\',
  IMAGE,
  '=x',
  'https://x.y/',
  '[a](https://b.md',
  '[a]: https://b',
  '![x](https://y)',
  '<https://a',
  '\n```\n',
  '\n- ```\n',
  '\n```dataviewjs\n',
  'foo `',
];

/** Texts of strangers, as somebody may say them in a chat. */
export const strangersText = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));

/** Returns a text as an import writes what was said in a chat. */
export function said(text: string): string {
  return formatCallout({ type: 'user', title: 'You', body: quiet(text) });
}
