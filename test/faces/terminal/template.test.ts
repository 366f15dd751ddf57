import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

const notes = {
  '.rouxrc.json': '{"filenames": "title"}',
  'books/Emma.md': '---\nrating: 5\ntags: [novel, old]\n"two words": "a\\nb"\n---\n',
  'books/Evil.md': '---\ntitle: "{{id}} \\u001b[31mred"\n---\n',
  'Other.md': 'x\n',
};

describe('issue 11.8: roux list --template', () => {
  const list = (root: string, template: string, ...more: readonly string[]) =>
    cli(['list', '--template', template, ...more], { cwd: root });

  it('prints a line for each row, with the fields that it names', () =>
    withVault(notes, async ({ root }) => {
      const { status, stdout } = await list(root, '{{title}} ({{path}}) {{properties.rating}}');
      expect([status, stdout.split('\n')[0]]).toEqual([0, 'Other (Other.md) ']);
      expect(stdout).toContain('Emma (books/Emma.md) 5\n');
      const [line] = (
        await list(
          root,
          String.raw`{{name}}\t{{ folder }}\n{{tags}}|{{properties.two words}}|{{properties.constructor}}\\|{{file.ext}}`,
          '--where',
          'rating > 1',
        )
      ).stdout.split('\n\n');
      expect(line).toBe('Emma\tbooks\nnovel, old|a b|\\|md\n');
    }));

  it('takes what a note holds for nothing but a value', () =>
    withVault(notes, async ({ root }) => {
      const { stdout } = await cli(['list', '--template', '{{title}}', '--where', 'file.basename == "Evil"'], {
        cwd: root,
        isTerminal: true,
        columns: 80,
      });
      expect(stdout).toBe('{{id}} \\x1b[31mred\n');
    }));

  it('refuses placeholders that name no field, and a second way of printing rows', () =>
    withVault(notes, async ({ root }) => {
      for (const [template, message] of [
        ['{{titel}}', 'did you mean "title"'],
        ['{{}}', 'there is no "{{}}"'],
        ['{{constructor}}', 'there is no "{{constructor}}"'],
        ['{{file.nosuch}}', 'no field "nosuch"'],
      ] as const) {
        const refused = await list(root, template);
        expect(refused, template).toMatchObject({ status: 2, stdout: '' });
        expect(refused.stderr, template).toContain(message);
      }
      for (const more of [['--json'], ['--format', 'csv'], ['--fields', 'rating']])
        expect(await list(root, '{{title}}', ...more), more.join(' ')).toMatchObject({ status: 2 });
    }));
});
