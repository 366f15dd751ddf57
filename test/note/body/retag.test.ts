import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retag, tagRenames } from '../../../src/note/body/retag.ts';
import { checkTag } from '../../../src/note/markdown/tag.ts';
import { parseNote } from '../../../src/note/parse.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { runs } from '../../support/effort.ts';
import { anyText } from './any-text.ts';

const path = 'n.md' as NotePath;
const tags = [{ from: 'old', to: 'new/er' }];

describe('renaming tags in a text', () => {
  it('E-20 the tags that are read are those of before, renamed, and no other byte changes', () => {
    const piece = fc.oneof(
      anyText,
      fc.constantFrom('#old', ' #old', '\n#Old/x ', '[[#old]]', '`#old`', '(#old)', '#older', '> #old', 'a #old_b_'),
    );
    const yaml = fc.constantFrom('', '---\ntags: [old, x]\n---\n', '---\r\ntags: "old, y" # c\r\n---\r\n', '---\ntag: old\n---\n');
    fc.assert(
      fc.property(yaml, fc.array(piece, { maxLength: 8 }), (start, pieces) => {
        const text = start + pieces.join('');
        const { tagAfter } = tagRenames(tags);
        const [before, after] = [parseNote(path, text), parseNote(path, retag(path, text, tags))];
        expect(after.tagUses.map(({ tag }) => tag)).toEqual(before.tagUses.map(({ tag }) => tagAfter(tag) ?? tag));
        expect(after.links.map(({ link }) => link)).toEqual(before.links.map(({ link }) => link));
        expect(retag(path, after.text, [{ from: 'new/er', to: 'old' }]).toLowerCase()).toBe(text.toLowerCase());
      }),
      { numRuns: runs(200) },
    );
  });

  it('E-20 keeps texts that hold no such tag as they are, broken frontmatter too', () => {
    for (const text of ['---\ntags: [old\n---\nno tag\n', '---\na: 1\n---\n`#old`\n', 'x#old\n'])
      expect(retag(path, text, tags)).toBe(text);
    expect(retag(path, '---\ntags: [old\n---\n#old\n', tags)).toBe('---\ntags: [old\n---\n#new/er\n');
  });

  it('E-20 a name is one that Obsidian takes for a tag', () => {
    for (const name of ['a', 'a/b', 'y1984', '日本', 'a_b-c', '1a', '🌱']) expect(checkTag(name), name).toBeNull();
    for (const name of ['', 'a b', '1984', '1/2', 'a//b', '/a', 'a#b', 'a.b', 'a,b', "it's"]) expect(checkTag(name), name).not.toBeNull();
  });
});
