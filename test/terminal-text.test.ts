import { describe, expect, it } from 'vitest';
import { visible, visibleJson, visibleLine } from '../src/terminal-text.ts';

const tags = (text: string): string => Array.from(text, (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');

describe('text at a terminal', () => {
  it.each([
    ['a blank without width', 'a\u200bb', String.raw`a\u200bb`],
    ['joiners between letters that nothing joins', 'x\u200dy\u200cz', String.raw`x\u200dy\u200cz`],
    ['more joiners than a letter needs', 'می\u200c\u200cx', `می\u200c${String.raw`\u200c`}x`],
    ['text in tags', `a${tags('hi')}`, String.raw`a\u{e0068}\u{e0069}`],
    [
      'more tags than a flag has',
      `🏴${tags('a long text')}`,
      `🏴${Array.from('a long text', (each) => `\\u{e00${each.charCodeAt(0).toString(16)}}`).join('')}`,
    ],
    ['variation selectors of letters', 'a\ufe00b\ufe0f', String.raw`a\ufe00b\ufe0f`],
    ['variation selectors in a row', '😀\ufe0f\ufe0e\u{e0101}', `😀\ufe0f${String.raw`\ufe0e\u{e0101}`}`],
    ['a byte order mark and a word joiner', '\ufeffa\u2060b', String.raw`\ufeffa\u2060b`],
    ['marks of direction', '\u202ea\u2066b', String.raw`\u202ea\u2066b`],
    ['an escape', '\x1b[31m', String.raw`\x1b[31m`],
  ])('shows %s', (_, text, shown) => {
    expect(visibleLine(text)).toBe(shown);
    expect(visible(`${text}\n\t`)).toBe(`${shown}\n\t`);
    expect(JSON.parse(visibleJson(text))).toBe(text);
  });

  it.each([
    ['families', '👨‍👩‍👧‍👦 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 🧑‍🦰 👨‍⚕️'],
    ['flags', `🏴${tags('gbeng')}\u{e007f} 🏴‍☠️ 🇫🇷`],
    ['signs as pictures and as text', '1️⃣ ℹ️ ↔️ ✔\ufe0e ☺️'],
    ['Persian', 'می‌خواهم کتاب‌ها را CD‌ها ۱۰‌تایی ه‍'],
    ['Hindi, Bengali, Malayalam, Sinhala', 'क्‍ष क्‌ष শ‍্য ന്‍ ශ්‍රී'],
    ['Khmer and Thai', 'ភាសា​ខ្មែរ ภาษา​ไทย'],
    ['forms of ideographs', '葛\u{e0100}城'],
  ])('leaves %s as they are', (_, text) => {
    expect(visibleLine(text)).toBe(text);
    expect(visibleJson(text)).toBe(JSON.stringify(text));
  });

  it('takes linear time', () => {
    const before = process.cpuUsage();
    visible(`${'🏴'}${tags('a').repeat(200_000)}${'می\u200c'.repeat(100_000)}${'x\u200b'.repeat(100_000)}`);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
