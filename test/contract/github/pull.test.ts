import { describe, expect, it } from 'vitest';
import { toIssue, withGitHub } from '../../support/github/stand-in.ts';
import type { Synced } from '../../support/github/stand-in.ts';

const PULL = ['pull', 'github', 'acme/app', '--yes'] as const;

function snapshot({ vault }: Pick<Synced, 'vault'>): Readonly<Record<string, string>> {
  return Object.fromEntries(vault.files().map((file) => [file, vault.read(file)]));
}

/** The text of the note whose name begins so. */
function note({ vault }: Pick<Synced, 'vault'>, name: string): string {
  const file = vault.files().find((each) => each.split('/').at(-1)?.startsWith(name) === true);
  return file === undefined ? '' : vault.read(file);
}

function file({ vault }: Pick<Synced, 'vault'>, name: string): string {
  return vault.files().find((each) => each.split('/').at(-1)?.startsWith(name) === true) ?? '';
}

describe('GitHub: pull', () => {
  it('GitHub issues become tasks with title, text, labels, assignees, milestone, parent and dependencies', () =>
    withGitHub(
      [
        toIssue(1, 'Paint the door', {
          body: 'Blue.\r\n\r\n- [ ] twice',
          labels: ['good first issue', 'area: door', '12'],
          assignees: ['ana'],
          milestone: '1.0',
        }),
        toIssue(2, 'Buy paint', { parent: 'acme/app#1' }),
        toIssue(3, 'Sand it', { blockedBy: ['acme/app#2', 'acme/lib#9'] }),
        toIssue(4, 'Closed long ago', { state: 'CLOSED', stateReason: 'COMPLETED' }),
      ],
      async (synced) => {
        const { status, stdout, stderr } = await synced.tasks(...PULL);
        expect({ status, stdout }).toEqual({
          status: 0,
          stdout: 'new       acme/app#1  Paint the door  @ana\nnew       acme/app#2  Buy paint\nnew       acme/app#3  Sand it\n',
        });
        expect(stderr).toMatch(/^To take it back: roux undo \w+\n$/);
        const door = note(synced, 'paint-the-door');
        expect(door).toContain(
          'summary: Paint the door\nresolved: false\nparent: "[[app]]"\norigin: web\ntags:\n  - good-first-issue\n  - area-door\n  - label-12\n',
        );
        expect(door).toContain('  github: acme/app#1\n  assignees:\n    - ana\n  milestone: "1.0"\n');
        expect(door).toContain('context_links:\n  - https://github.com/acme/app/issues/1\n');
        expect(door.split('---\n')[2]).toBe('## GitHub issue\n\n```markdown\nBlue.\n\n- [ ] twice\n```\n');
        expect(note(synced, 'buy-paint')).toContain('parent: "[[paint-the-door]]"\n');
        expect(note(synced, 'sand-it')).toContain('depends_on:\n  - "[[buy-paint]]"\norigin: web\nblocked: waits for acme/lib#9\n');
        expect(synced.vault.files()).toHaveLength(4);
        expect((await synced.roux('next')).stdout).toContain('Buy paint');
        expect((await synced.roux('next')).stdout).not.toContain('Sand it');
      },
    ));

  it('GitHub: a pull shows first what it would do, and writes with --yes only', () =>
    withGitHub([toIssue(1, 'Paint')], async ({ tasks, vault }) => {
      for (const options of [[], ['--dry-run'], ['--dry-run', '--yes']]) {
        const { status, stdout, stderr } = await tasks('pull', 'github', 'acme/app', ...options);
        expect({ status, stdout, stderr }).toEqual({
          status: 0,
          stdout: 'new       acme/app#1  Paint\n',
          stderr: 'Nothing is written yet. Add --yes to write it into the vault.\n',
        });
        expect(vault.files()).toEqual([]);
      }
      const { stdout } = await tasks('pull', 'github', 'acme/app', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ written: false, issues: [{ issue: 'acme/app#1', change: 'new' }], gone: [], batches: [] });
    }));

  it('GitHub: a second pull changes nothing, byte for byte, and needs no name', () =>
    withGitHub(
      [
        toIssue(1, 'Paint', { body: 'x\n```\ny\n', labels: ['a'], assignees: ['ana', 'bob'], milestone: '1', blockedBy: ['acme/lib#1'] }),
        toIssue(2, 'Sand', { parent: 'acme/app#1', blockedBy: ['acme/app#3'] }),
        toIssue(3, 'Buy', { parent: 'acme/app#2', blockedBy: ['acme/app#2'] }),
      ],
      async (synced) => {
        await synced.tasks(...PULL);
        const before = snapshot(synced);
        expect(await synced.tasks('pull', 'github', '--yes')).toEqual({
          status: 0,
          stdout: '',
          stderr: '3 issues unchanged.\nThere is nothing to write.\n',
        });
        expect(snapshot(synced)).toEqual(before);
      },
    ));

  it('GitHub: a pull is one write, which undo takes back; the next pull makes its tasks again', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand', { parent: 'acme/app#1' })], async (synced) => {
      const [, batch = ''] = /undo (\w+)/.exec((await synced.tasks(...PULL)).stderr) ?? [];
      expect((await synced.roux('undo', batch)).status).toBe(0);
      expect(synced.vault.files()).toEqual([]);
      expect((await synced.tasks(...PULL)).stdout).toContain('new       acme/app#1  Paint');
      expect(synced.vault.files()).toHaveLength(3);
    }));

  it('GitHub: what only GitHub changed is taken over, field by field, and tags and properties of the user stay', () =>
    withGitHub(
      [toIssue(1, 'Paint', { body: 'Blue', labels: ['a', 'b'], assignees: ['ana'], milestone: '1' }), toIssue(2, 'Sand')],
      async (synced) => {
        await synced.tasks(...PULL);
        const path = file(synced, 'paint');
        synced.vault.write(
          path,
          synced.vault
            .read(path)
            .replace('tags:\n', 'mine: 1\ntags:\n  - own\n')
            .replace(/(\nproperties:[^]*milestone:) "1"/, '$1 mine')
            .replace('## GitHub', 'My plan.\n\n## GitHub'),
        );
        synced.edit(1, {
          title: 'Paint it',
          body: 'Red',
          labels: ['b', 'c'],
          assignees: [],
          milestone: '2',
          parent: 'acme/app#2',
          blockedBy: ['acme/app#2'],
        });
        const { stdout, status } = await synced.tasks(...PULL);
        expect({ stdout, status }).toEqual({
          status: 0,
          stdout: 'updated   acme/app#1  Paint it  title, body, labels, assignees, parent, dependencies\n',
        });
        const text = synced.vault.read(path);
        expect(text).toContain('summary: Paint it\n');
        expect(text).toContain('mine: 1\ntags:\n  - own\n  - b\n  - c\n');
        expect(text).toContain('  milestone: mine\n');
        expect(text).not.toContain('- ana');
        expect(text).toContain('parent: "[[sand]]"');
        expect(text).toContain('My plan.\n\n## GitHub issue\n\n```markdown\nRed\n```\n');
      },
    ));

  it('GitHub: a closed issue resolves its task with evidence, one that is not planned drops it, and a reopened one opens it', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand'), toIssue(3, 'Buy')], async (synced) => {
      await synced.tasks(...PULL);
      synced.edit(1, { state: 'CLOSED', stateReason: 'COMPLETED' });
      synced.edit(2, { state: 'CLOSED', stateReason: 'NOT_PLANNED' });
      expect((await synced.tasks(...PULL)).stdout).toBe('resolved  acme/app#1  Paint\nresolved  acme/app#2  Sand\n');
      expect(note(synced, 'paint')).toContain('type: github\n    ref: "closed on GitHub: https://github.com/acme/app/issues/1"');
      expect(note(synced, 'sand')).toContain(
        'type: dropped\n    ref: "closed on GitHub as not planned: https://github.com/acme/app/issues/2"',
      );
      expect((await synced.tasks('log', '--json')).stdout).toMatch(/"action":"dropped"/);
      const before = snapshot(synced);
      expect((await synced.tasks(...PULL)).stderr).toContain('There is nothing to write.');
      expect(snapshot(synced)).toEqual(before);
      synced.edit(1, { state: 'OPEN', stateReason: 'REOPENED' });
      expect((await synced.tasks(...PULL)).stdout).toBe('reopened  acme/app#1  Paint\n');
      expect(note(synced, 'paint')).toContain('resolved: false');
    }));

  it('GitHub: changes of both sides to different fields are merged; to one field they are a conflict, and neither side is overwritten', () =>
    withGitHub([toIssue(1, 'Paint', { body: 'Blue' })], async (synced) => {
      await synced.tasks(...PULL);
      const path = file(synced, 'paint');
      synced.vault.write(path, synced.vault.read(path).replace('summary: Paint', 'summary: Paint twice'));
      synced.edit(1, { body: 'Red' });
      expect((await synced.tasks(...PULL)).stdout).toBe('updated   acme/app#1  Paint  body\n');
      expect(synced.vault.read(path)).toContain('summary: Paint twice');
      synced.edit(1, { title: 'Paint thrice' });
      const before = snapshot(synced);
      const { status, stdout, stderr } = await synced.tasks(...PULL);
      expect({ status, stdout }).toEqual({ status: 1, stdout: 'conflict  acme/app#1  Paint thrice  title changed on both sides\n' });
      expect(stderr).toContain('1 conflict: nothing is overwritten.');
      expect(snapshot(synced)).toEqual(before);
      const pushed = await synced.tasks('push', '--yes');
      expect(pushed).toMatchObject({ status: 1, stdout: 'conflict  acme/app#1  Paint twice  title changed on both sides\n' });
      expect(synced.issue(1).title).toBe('Paint thrice');
      expect((await synced.tasks(...PULL, '--force')).stdout).toBe('updated   acme/app#1  Paint thrice  title\n');
      expect(synced.vault.read(path)).toContain('summary: Paint thrice');
      expect((await synced.tasks('push')).stderr).toBe('There is nothing to push.\n');
    }));

  it('GitHub: a task that was deleted or unlinked here is not made again, unless it is forced', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand')], async (synced) => {
      await synced.tasks(...PULL);
      await synced.roux('delete', file(synced, 'paint'));
      const sand = file(synced, 'sand');
      synced.vault.write(
        sand,
        synced.vault
          .read(sand)
          .replace(/github_sync:\n(?: .*\n)+/, '')
          .replace('  github: acme/app#2\n', '  own: 1\n'),
      );
      const before = snapshot(synced);
      const { stdout, stderr } = await synced.tasks(...PULL);
      expect(stdout).toBe('skipped   acme/app#1  Paint\nskipped   acme/app#2  Sand\n');
      expect(stderr).toContain('2 tasks deleted or unlinked here, not created again; --force does.');
      expect(snapshot(synced)).toEqual(before);
      expect((await synced.tasks(...PULL, '--force')).stdout).toContain('new       acme/app#1  Paint\n');
      expect(file(synced, 'paint')).not.toBe('');
    }));

  it('GitHub: a moved issue keeps its task under its new name, and the task of one that is gone stays', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand'), toIssue(3, 'Buy')], async (synced) => {
      await synced.tasks(...PULL);
      synced.change((state) => {
        const app = state.repositories['acme/app'];
        if (app === undefined) return;
        app.issues = app.issues.filter(({ number }) => number === 3);
        state.repositories['acme/other'] = { id: 'R_2', issues: [toIssue(7, 'Paint', { id: 'I_moved' })] };
        state.moved = { 'acme/app#1': 'I_moved' };
      });
      const { status, stdout, stderr } = await synced.tasks(...PULL);
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'updated   acme/other#7  Paint  issue\n' });
      expect(stderr).toContain('acme/app#2 is gone from GitHub, or cannot be seen. Its task stays as it is.');
      expect(note(synced, 'paint')).toContain('  github: acme/other#7\ncontext_links:\n  - https://github.com/acme/other/issues/7\n');
      expect(note(synced, 'paint')).toContain('  id: I_moved\n');
      expect(note(synced, 'sand')).toContain('  github: acme/app#2\n');
      const again = await synced.tasks('pull', 'github', '--yes');
      expect(again.stderr).toContain('There is nothing to write.');
    }));

  it('GitHub: a task that a person links by its property is the task of that issue; a second one of it is left alone', () =>
    withGitHub(
      [toIssue(1, 'Paint', { body: 'Blue' })],
      async (synced) => {
        const { status, stdout } = await synced.tasks('pull', 'github', '--yes');
        expect({ status, stdout }).toEqual({ status: 0, stdout: 'updated   acme/app#1  Paint  body\n' });
        expect(synced.vault.read('projects/shed/a.md')).toContain('github_sync:\n  id: I_1\n');
        synced.vault.write('projects/shed/b.md', synced.vault.read('projects/shed/a.md').replace('id: t_a', 'id: t_b'));
        const copy = synced.vault.read('projects/shed/b.md');
        synced.edit(1, { title: 'Paint it' });
        expect((await synced.tasks('pull', 'github', '--yes')).stderr).toContain('projects/shed/b.md is a second task of acme/app#1');
        expect(synced.vault.read('projects/shed/b.md')).toBe(copy);
        expect(synced.vault.read('projects/shed/a.md')).toContain('summary: Paint it');
      },
      {
        files: {
          'projects/shed/shed.md': '---\nid: t_p\ntype: project\nsummary: Shed\nresolved: false\n---\n',
          'projects/shed/a.md':
            '---\nid: t_a\ntype: task\nsummary: Paint\nresolved: false\nparent: "[[shed]]"\nproperties:\n  github: acme/app#1\n---\n',
        },
      },
    ));

  it('GitHub: sub-issues and dependencies are left alone where GitHub does not offer them', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand', { parent: 'acme/app#1', blockedBy: ['acme/app#1'] })], async (synced) => {
      await synced.tasks(...PULL);
      const before = snapshot(synced);
      synced.change((state) => void (state.knowsRelations = false));
      expect((await synced.tasks(...PULL)).stderr).toContain('There is nothing to write.');
      expect(snapshot(synced)).toEqual(before);
    }));

  it('GitHub: a repository is the same one in any case, and an issue the same one when GitHub changes its id', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand')], async (synced) => {
      await synced.tasks(...PULL);
      const before = snapshot(synced);
      expect((await synced.tasks('pull', 'github', 'Acme/APP', '--yes')).stderr).toContain('There is nothing to write.');
      expect(snapshot(synced)).toEqual(before);
      synced.change((state) => {
        for (const issue of state.repositories['acme/app']?.issues ?? []) issue.id = `N_${issue.number}`;
        state.ids = { I_1: 'N_1', I_2: 'N_2' };
      });
      synced.edit(2, { state: 'CLOSED', stateReason: 'COMPLETED' });
      const { stdout } = await synced.tasks('pull', 'github', 'Acme/APP', '--yes');
      expect(stdout).toBe('updated   acme/app#1  Paint  as on GitHub already\nresolved  acme/app#2  Sand\n');
      expect(Object.keys(snapshot(synced))).toEqual(Object.keys(before));
      expect((await synced.tasks(...PULL)).stderr).toContain('There is nothing to write.');
    }));

  it('GitHub: an issue of another repository with the same name is another issue', () =>
    withGitHub([toIssue(1, 'Paint')], async (synced) => {
      await synced.tasks(...PULL);
      synced.change((state) => void (state.repositories['acme/app'] = { id: 'R_9', issues: [toIssue(1, 'Other', { id: 'I_other' })] }));
      const { stdout, stderr } = await synced.tasks(...PULL);
      expect(stdout).toBe('new       acme/app#1  Other\n');
      expect(stderr).toContain('acme/app#1 is gone from GitHub');
      expect(note(synced, 'paint')).toContain('summary: Paint');
    }));

  it('GitHub: a note that does not take the text of its issue is left as it is, and named', () =>
    withGitHub([toIssue(1, 'Paint', { body: 'Blue' }), toIssue(2, 'Sand', { body: 'Fine' })], async (synced) => {
      await synced.tasks(...PULL);
      const path = file(synced, 'paint');
      synced.vault.write(path, `${synced.vault.read(path)}\n## GitHub issue\n\nmine\n`);
      synced.edit(1, { title: 'Paint it', body: 'Red' });
      const { stdout, stderr } = await synced.tasks(...PULL);
      expect(stdout).toBe('updated   acme/app#1  Paint it  title\n');
      expect(stderr).toContain(`${path} does not take the text of acme/app#1`);
      expect(synced.vault.read(path)).toContain('Blue');
      expect((await synced.tasks('push', '--yes')).stdout).toBe('');
      synced.vault.write(path, synced.vault.read(path).replace('\n## GitHub issue\n\nmine\n', ''));
      expect((await synced.tasks(...PULL)).stdout).toBe('updated   acme/app#1  Paint it  body\n');
    }));
});
