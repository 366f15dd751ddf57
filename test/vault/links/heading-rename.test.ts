import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { planRenames } from '../../../src/vault/links/renames/plan-renames.ts';
import { carryOut, contextOf } from './planned-vault.ts';
import type { Files } from './planned-vault.ts';

const note = 'n.md' as NotePath;
const renamed = (files: Files, from: string, to: string): Record<string, string> =>
  carryOut(files, planRenames(contextOf(files), [{ kind: 'part', path: note, from, to }]));
const heading = (files: Files, from: string, to: string): Record<string, string> => renamed(files, `#${from}`, to);

describe('headings', () => {
  it('W49 renames a heading and every link that leads to it or through it', () => {
    const files = {
      'n.md': '---\na: 1\n---\n# Top\n\n## h ##\n\n### s\n\n[[#h]] [[n#H#s]] [[#Top]]\n',
      'x.md': '[[n#h]] [[n#h#s|s]] [t](n.md#h) ![[n#Top#h]] [[n#s]] [[n]] [[other#h]] `[[n#h]]`',
      'other.md': '## h\n',
      'c.canvas':
        '{"nodes":[{"type":"file","file":"n.md","subpath":"#h"},{"type":"file","file":"other.md","subpath":"#h"},{"type":"text","text":"[[n#h]]"}]}',
    };
    expect(heading(files, 'h', 'k (new)')).toEqual({
      'n.md': '---\na: 1\n---\n# Top\n\n## k (new) ##\n\n### s\n\n[[#k (new)]] [[n#k (new)#s]] [[#Top]]\n',
      'x.md': '[[n#k (new)]] [[n#k (new)#s|s]] [t](n.md#k%20(new)) ![[n#Top#k (new)]] [[n#s]] [[n]] [[other#h]] `[[n#h]]`',
      'other.md': '## h\n',
      'c.canvas':
        '{"nodes":[{"type":"file","file":"n.md","subpath":"#k (new)"},{"type":"file","file":"other.md","subpath":"#h"},{"type":"text","text":"[[n#k (new)]]"}]}',
    });
  });

  it('W49 of equal headings only the named one changes, with the links that mean it', () => {
    const files = { 'n.md': '# a\n\n## h\n\n# b\n\n## h\n', 'x.md': '[[n#h]] [[n#a#h]] [[n#b#h]]' };
    expect(heading(files, 'b#h', 'k')).toEqual({ 'n.md': '# a\n\n## h\n\n# b\n\n## k\n', 'x.md': '[[n#h]] [[n#a#h]] [[n#b#k]]' });
    expect(heading(files, 'a#h', 'k')).toEqual({ 'n.md': '# a\n\n## k\n\n# b\n\n## h\n', 'x.md': '[[n#k]] [[n#a#k]] [[n#b#h]]' });
    expect(() => heading(files, 'h', 'k')).toThrow('2 times, on lines 3, 7');
  });

  it('E-18 links name the heading above too where another one has the new name, those to the other one as well', () => {
    const files = { 'n.md': '# a\n\n## h\n\n# b\n\n## k\n', 'x.md': '[[n#h]] [[n#k]] [[n#b#k]]' };
    expect(heading(files, 'h', 'k')['x.md']).toBe('[[n#k]] [[n#b#k]] [[n#b#k]]');
    expect(() => heading({ 'n.md': '# a\n\n## h\n\n## k\n' }, 'h', 'K!')).toThrow('there already (line 5)');
  });

  it('E-16 two headings swap their names', () => {
    const files = { 'n.md': '# a\n\n# b\n\n[[#a]]\n', 'x.md': '[[n#a]] [[n#b]]' };
    const swap = planRenames(contextOf(files), [
      { kind: 'part', path: note, from: '#a', to: 'b' },
      { kind: 'part', path: note, from: '#b', to: 'a' },
    ]);
    expect(carryOut(files, swap)).toEqual({ 'n.md': '# b\n\n# a\n\n[[#b]]\n', 'x.md': '[[n#b]] [[n#a]]' });
  });

  it('writes links without the characters that links read as something else', () => {
    expect(heading({ 'n.md': '# h\n', 'x.md': '[[n#h]]' }, 'h', 'C# | a: b')).toEqual({ 'n.md': '# C# | a: b\n', 'x.md': '[[n#C a b]]' });
  });

  it('refuses a heading that is not there, and a name that links cannot lead to', () => {
    expect(() => heading({ 'n.md': '# h\n' }, 'q', 'k')).toThrow(RouxError);
    for (const to of ['', '##', 'a\nb']) expect(() => heading({ 'n.md': '# h\n' }, 'h', to)).toThrow(RouxError);
  });
});

describe('block ids', () => {
  it('W49 renames a block id and the links to it', () => {
    const files = { 'n.md': 'text ^b1\n\n[[#^b1]]\n', 'x.md': '[[n#^B1]] ![[n#^b1|x]] [[n#^b12]]' };
    expect(renamed(files, '#^b1', 'k')).toEqual({ 'n.md': 'text ^k\n\n[[#^k]]\n', 'x.md': '[[n#^k]] ![[n#^k|x]] [[n#^b12]]' });
    expect(() => renamed(files, '#^b1', 'no good')).toThrow(RouxError);
  });
});
