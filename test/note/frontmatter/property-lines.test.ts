import { afterEach, describe, expect, it, vi } from 'vitest';
import { Composer } from 'yaml';
import { editProperties } from '../../../src/note/frontmatter/property-edit.ts';
import type { PropertyChange } from '../../../src/note/frontmatter/property-edit.ts';

const alias = (value: string): PropertyChange => ({ op: 'append', key: ['aliases'], value, unique: true });
const title: PropertyChange = { op: 'set', key: ['title'], value: 'New name' };

describe('what a rename writes into frontmatter', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    ['no frontmatter', '# Body\n', '---\ntitle: New name\naliases:\n  - Old name\n---\n# Body\n'],
    ['no list', '---\nstatus: open\n---\nBody\n', '---\nstatus: open\ntitle: New name\naliases:\n  - Old name\n---\nBody\n'],
    ['a list', '---\ntitle: A\naliases:\n- B\n# more\n---\n', '---\ntitle: New name\naliases:\n- B\n- Old name\n# more\n---\n'],
    ['line ends of Windows', '---\r\ntitle: A\r\n---\r\n', '---\r\ntitle: New name\r\naliases:\r\n  - Old name\r\n---\r\n'],
  ])('with %s, no YAML is parsed with positions', (_name, before, after) => {
    const compose = vi.spyOn(Composer.prototype, 'compose');
    expect(editProperties('a.md', before, [title, alias('Old name')])).toBe(after);
    expect(compose).not.toHaveBeenCalled();
  });

  it.each([
    'aliases:\n  - B',
    'aliases:\n- B\n- C',
    'aliases:\n    - B\nz: 1',
    'aliases:\n  - B\n  # of old\nz: 1',
    'aliases:\n  - B # of old',
    'aliases: # of old\n  - B',
    'aliases:\n\n  - B\n\n\nz: 1\n',
    'aliases:\n  - "B"\n  - C',
    'aliases:\n  - B\n    and more',
    'aliases: [B, C]',
    'aliases: B',
    'aliases:',
    'aliases: []',
    'tags:\n    - x',
    'tags: [x, y]',
    'map:\n   inner: 1',
    'text: |\n  aliases:\n    - B',
    '"aliases":\n  - B',
    'z: 1\n# the end',
    '',
  ])('%j becomes what it becomes where another value is in quotes and changes too, which takes the library', (yaml) => {
    const before = `---\nquoted: "old"${yaml === '' ? '' : `\n${yaml}`}\n---\nBody\n`;
    const edited = editProperties('a.md', before, [alias('Old name')]);
    const compose = vi.spyOn(Composer.prototype, 'compose');
    const whole = editProperties('a.md', before, [{ op: 'set', key: ['quoted'], value: 'new' }, alias('Old name')]);
    expect(compose).toHaveBeenCalled();
    expect(edited).not.toBe(before);
    expect(edited.replace('"old"', '"new"')).toBe(whole);
  });
});
