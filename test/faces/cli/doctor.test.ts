import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { hasGit } from '../../support/git.ts';
import { withVault } from '../../support/vault.ts';

const sick = {
  'moved.md': '---\naliases: [Old]\n---\n',
  'a.md': '[[Old]] and [[Nowhere]]\n',
  't.md': '---\ntags: one, two\n---\n',
};

describe('roux doctor', () => {
  it('has status 0 and says so when nothing is wrong', () =>
    withVault({ 'a.md': '[[b]]', 'b.md': '' }, async ({ root }) => {
      expect(await cli(['doctor', root])).toEqual({ status: 0, stdout: '', stderr: '2 notes, nothing found.\n' });
      expect(await cli(['doctor', root, '--json'])).toMatchObject({ status: 0, stdout: '{"notes":2,"findings":[]}\n' });
    }));

  it('tells each finding with what --fix would do, and changes nothing', () =>
    withVault(sick, async (vault) => {
      const { status, stdout, stderr } = await cli(['doctor', vault.root]);
      expect(status).toBe(1);
      expect(stdout).toBe(
        [
          'unresolved-link  [[Nowhere]] leads nowhere; in a.md',
          'unresolved-link  [[Old]] leads nowhere; in a.md',
          '  --fix would write [[moved]] there',
          'tags  t.md: Obsidian reads no tags from the text "one, two"; it has to be a list',
          '  --fix would write it as a list of 2',
          '',
        ].join('\n'),
      );
      expect(stderr).toBe('3 findings in 3 notes, 2 of which --fix can put right.\n');
      expect(vault.read('a.md')).toBe(sick['a.md']);
    }));

  it('F55 tells of a journal that came with very many files in an answer that can be read', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      for (let count = 0; count < 500; count++) vault.write(`.roux/journal/01h${String(count).padStart(23, '0')}.json`, '');
      const { status, stdout, stderr } = await cli(['doctor', vault.root]);
      expect(status).toBe(1);
      expect(stdout.match(/ is damaged and was moved aside/g)).toHaveLength(20);
      expect(stdout).toContain('.roux/journal/rejected holds 480 more like these\n');
      expect(stderr).toContain('21 findings in 1 note.');
      expect((stdout + stderr).length).toBeLessThan(20_000);
    }));

  it.skipIf(!hasGit)('prints a diff with --dry-run that git can apply and that is what --fix does', () =>
    withVault(sick, (dry) =>
      withVault(sick, async (fixed) => {
        const { status, stdout } = await cli(['doctor', dry.root, '--fix', '--dry-run']);
        expect(status).toBe(1);
        expect(dry.read('a.md')).toBe(sick['a.md']);
        const applied = spawnSync('git', ['apply', '--unsafe-paths', '-'], { cwd: dry.root, input: stdout, encoding: 'utf8' });
        expect(applied).toMatchObject({ status: 0, stderr: '' });
        const done = await cli(['doctor', fixed.root, '--fix', '--json']);
        expect(done.status).toBe(1);
        expect(JSON.parse(done.stdout)).toMatchObject({
          findings: [{ kind: 'unresolved-link', message: '[[Nowhere]] leads nowhere' }],
          fixed: [{ kind: 'unresolved-link', fix: 'write [[moved]] there' }, { kind: 'tags' }],
        });
        for (const file of dry.files()) expect(fixed.read(file)).toBe(dry.read(file));
        expect(fixed.read('a.md')).toBe('[[moved]] and [[Nowhere]]\n');
      }),
    ),
  );

  it('finds after a restart what was renamed while no roux ran', () =>
    withVault({ 'Old.md': 'text', 'a.md': '[[Old]]\n' }, async (vault) => {
      expect(await cli(['doctor', vault.root])).toMatchObject({ status: 0 });
      vault.write('New.md', vault.read('Old.md'));
      vault.remove('Old.md');
      expect(await cli(['doctor', vault.root])).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('--fix would write [[New]] there'),
      });
      expect(await cli(['doctor', vault.root, '--fix'])).toMatchObject({ status: 0, stderr: '1 fixed; 2 notes, nothing else found.\n' });
      expect(vault.read('a.md')).toBe('[[New]]\n');
    }));

  it('tells how much the trash keeps, which is no finding', () =>
    withVault({ 'a.md': 'A\n', 'b.md': '' }, async (vault) => {
      expect(await cli(['delete', 'a.md', '--vault', vault.root])).toMatchObject({ status: 0 });
      expect(await cli(['doctor', vault.root])).toMatchObject({
        status: 0,
        stderr: '1 note, nothing found.\nThe trash keeps 1 file (1 KB), each for 30 days; "roux restore" lists them.\n',
      });
      const { stdout } = await cli(['doctor', vault.root, '--json']);
      expect(JSON.parse(stdout)).toEqual({ notes: 1, findings: [], trash: { files: 1, bytes: 2 } });
    }));

  it('refuses to fix a vault that is read-only', () =>
    withVault({ ...sick, '.rouxrc.json': '{"readOnly": true}' }, async (vault) => {
      expect(await cli(['doctor', vault.root, '--fix'])).toMatchObject({ status: 3, stderr: expect.stringContaining('read-only') });
      expect(vault.read('a.md')).toBe(sick['a.md']);
    }));
});
