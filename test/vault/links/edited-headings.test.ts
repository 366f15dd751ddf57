import { describe, expect, it } from 'vitest';
import { applyChanges } from '../../../src/note/edit.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { planEditedHeadings } from '../../../src/vault/links/edited-headings.ts';
import { planRename } from '../../../src/vault/links/rename.ts';
import { carryOut, contextOf } from './planned-vault.ts';
import type { Files } from './planned-vault.ts';

const path = 'n.md' as NotePath;
const before = '# Top\n\n## Old part\n\ntext ^fact\n\n## Other\n';
const files: Files = {
  'n.md': before,
  'x.md': '[[n#Old part]] ![[n#Top#Old part|shown]] [t](n.md#Old%20part) [[n#Other]] [[n#^fact]]\n',
  'c.canvas': '{"nodes":[{"type":"file","file":"n.md","subpath":"#Old part"}]}',
};

/** What a new text of `n.md` does, with the other files afterwards. */
function edited(after: string, vault: Files = files) {
  const plan = planEditedHeadings(contextOf(vault), path, { before: vault[path] ?? '', after });
  return { ...plan, after: carryOut({ ...vault, [path]: after }, plan) };
}

describe('E-19 links to headings of an edited text', () => {
  it('E-19 follow the one heading that has another text', () => {
    const { renamed, after, warnings, parts } = edited(before.replace('Old part', 'New part'));
    expect(renamed).toEqual({ from: 'Old part', to: 'New part' });
    expect(warnings).toEqual([]);
    expect(parts).not.toBeNull();
    expect(after['x.md']).toBe('[[n#New part]] ![[n#Top#New part|shown]] [t](n.md#New%20part) [[n#Other]] [[n#^fact]]\n');
    expect(after['c.canvas']).toContain('"subpath":"#New part"');
  });

  it('E-19 of the new text itself follow too, after it was written', () => {
    const text = before.replace('Old part', 'New part').replace('text', 'see [[#Old part]] and [[n#Old part]]');
    const { after, files: changes } = edited(text);
    expect(after['n.md']).toBe(text.replace('[[#Old part]]', '[[#New part]]').replace('[[n#Old part]]', '[[n#New part]]'));
    const own = changes.find((file) => 'path' in file && file.path === path);
    expect(own?.kind === 'change' && own.changes.map(({ op }) => op)).toEqual(['relink']);
  });

  it('E-19 stay where two headings changed, one has another level, or none is linked; what leads nowhere then is named', () => {
    const two = edited(before.replace('Old part', 'New part').replace('Other', 'Another'));
    expect(two).toMatchObject({ renamed: null, parts: null, files: [] });
    expect(two.warnings).toEqual([
      'n.md has no Old part any more, and links in x.md lead to it; change them, or bring it back.',
      'n.md has no Top#Old part any more, and links in x.md lead to it; change them, or bring it back.',
      'n.md has no Other any more, and links in x.md lead to it; change them, or bring it back.',
    ]);
    expect(edited(before.replace('## Old part', '### New part')).renamed).toBeNull();
    expect(edited(before.replace('# Top', '# Up'), { ...files, 'x.md': '[[n#Other]]\n' })).toMatchObject({ renamed: null, warnings: [] });
  });

  it('E-19 to a heading or a block that is gone are named', () => {
    const { warnings, files: changes } = edited('# Top\n\n## Other\n', { ...files, 'y.md': '[[n#^fact]]\n' });
    expect(changes).toEqual([]);
    expect(warnings).toContain('n.md has no Old part any more, and links in x.md lead to it; change them, or bring it back.');
    expect(warnings).toContain('n.md has no ^fact any more, and links in x.md, y.md lead to it; change them, or bring it back.');
  });

  it('E-19 one plan with another title: both parts of a link follow', () => {
    const context = contextOf(files);
    const { parts } = planEditedHeadings(context, path, { before, after: before.replace('Old part', 'New part') });
    const plan = planRename(context, path, { title: 'm' }, parts === null ? {} : { parts });
    const change = plan.files.find((file) => file.kind === 'change' && file.path === 'x.md');
    expect(change?.kind === 'change' && applyChanges('x.md', files['x.md'] ?? '', change.changes).text).toBe(
      '[[m#New part]] ![[m#Top#New part|shown]] [t](m.md#New%20part) [[m#Other]] [[m#^fact]]\n',
    );
  });
});
