import { describe, expect, it } from 'vitest';
import { toIssue, withGitHub } from '../../support/github/stand-in.ts';
import type { Synced } from '../../support/github/stand-in.ts';

const PULL = ['pull', 'github', 'acme/app', '--yes'] as const;
const SHED = {
  'projects/shed/shed.md': '---\nid: t_p\ntype: project\nsummary: Shed\nresolved: false\n---\n',
  'projects/shed/roof.md':
    '---\nid: t_roof\ntype: task\nsummary: Mend the roof\nresolved: false\nparent: "[[shed]]"\n---\nIt leaks.\n\n## Acceptance criteria\n\n- [ ] dry\n\n## Handoff\n\n- **From:** ada, 2026-11-29T12:00:00.000Z\n\n## Notes\n\nSee above.\n',
};

function edit({ vault }: Synced, name: string, change: (text: string) => string): void {
  const file = vault.files().find((each) => each.split('/').at(-1) === name) ?? '';
  vault.write(file, change(vault.read(file)));
}

/** The names of the calls that change something on GitHub. */
function changes({ calls }: Synced): readonly string[] {
  return calls().flatMap(({ name }) => (/^(?:create|update|close|reopen|add)/.test(name) ? [name] : []));
}

describe('GitHub: push', () => {
  it('GitHub: a resolved task closes its issue once, with its evidence as a comment, when the user says so', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand')], async (synced) => {
      const { tasks, roux, issue } = synced;
      await tasks(...PULL);
      await roux('done', 'Paint', '--evidence', '0123abcd', '--type', 'commit');
      await roux('done', 'Sand', '--evidence', 'by @ana, fixes #1 <img>');
      synced.calls();
      for (const options of [[], ['--dry-run', '--yes']]) {
        const shown = await tasks('push', 'github', ...options);
        expect(shown.stdout).toContain('acme/app#1  Paint\n  close as completed\n    Done:\n    \n    - commit: 0123abcd\n');
        expect(shown.stderr).toBe('Nothing is changed on GitHub. Add --yes to push this.\n');
        expect(changes(synced)).toEqual([]);
      }
      expect(await tasks('push', 'github', '--yes')).toMatchObject({
        status: 0,
        stdout: 'pushed  acme/app#1\npushed  acme/app#2\n',
        stderr: '',
      });
      expect(changes(synced)).toEqual(['addComment', 'closeIssue', 'addComment', 'closeIssue']);
      expect(issue(1)).toMatchObject({ state: 'CLOSED', stateReason: 'COMPLETED' });
      expect(issue(1).comments?.[0]).toMatch(/^Done:\n\n- commit: 0123abcd\n\n<!-- roux:closed:[0-9a-f]{24} -->$/);
      // It mentions no user, names no issue and shows no picture.
      expect(issue(2).comments?.[0]).toContain('- note: ` by @ana, fixes #1 <img> `\n');
      expect((await tasks('push', '--yes')).stderr).toBe('There is nothing to push.\n');
      expect((await tasks(...PULL)).stderr).toContain('There is nothing to write.');
      expect(changes(synced)).toEqual([]);
    }));

  it('GitHub: a dropped task closes its issue as not planned, and an opened one reopens it', () =>
    withGitHub(
      [toIssue(1, 'Paint'), toIssue(2, 'Sand', { state: 'CLOSED', stateReason: 'COMPLETED' })],
      async (synced) => {
        await synced.tasks(...PULL);
        edit(synced, 'paint.md', (text) =>
          text.replace('resolved: false', 'resolved: true').replace(/---\n$/, 'evidence:\n  - type: dropped\n    ref: no time\n---\n'),
        );
        edit(synced, 'sand.md', (text) => text.replace('resolved: true', 'resolved: false'));
        const { stdout } = await synced.tasks('push');
        expect(stdout).toContain('  close as not planned\n    Not planned: no time\n');
        expect(stdout).toContain('Sand\n  reopen\n');
        await synced.tasks('push', '--yes');
        expect(synced.issue(1)).toMatchObject({ state: 'CLOSED', stateReason: 'NOT_PLANNED' });
        expect(synced.issue(2)).toMatchObject({ state: 'OPEN', stateReason: 'REOPENED' });
        expect((await synced.tasks('push', '--yes')).stderr).toBe('There is nothing to push.\n');
      },
      {
        files: {
          'projects/app/app.md': SHED['projects/shed/shed.md'],
          'projects/app/sand.md':
            '---\nid: t_s\ntype: task\nsummary: Sand\nresolved: true\nparent: "[[app]]"\nproperties:\n  github: acme/app#2\n---\n',
        },
      },
    ));

  it('GitHub: titles and texts that changed here alone are updated, and nothing else of an issue', () =>
    withGitHub([toIssue(1, 'Paint', { body: 'Blue\r\n' }), toIssue(2, 'Sand', { body: 'Fine' })], async (synced) => {
      await synced.tasks(...PULL);
      edit(synced, 'paint.md', (text) =>
        text.replace('summary: Paint', 'summary: Paint twice').replace('\nBlue\n', '\nRed\n\nand thick\n'),
      );
      synced.edit(2, { title: 'Sand it' });
      const shown = await synced.tasks('push');
      expect(shown.stdout).toBe('acme/app#1  Paint twice\n  title: Paint → Paint twice\n  text: 1 line → 3 lines\n');
      expect(shown.stderr).toContain('1 issue changed on GitHub; "roux tasks pull github" brings that here.');
      synced.calls();
      await synced.tasks('push', '--yes');
      const [update] = synced.calls().filter(({ name }) => name === 'updateIssue');
      expect(update?.variables).toEqual({ input: { id: 'I_1', title: 'Paint twice', body: 'Red\n\nand thick' } });
      expect(synced.issue(2).title).toBe('Sand it');
      expect((await synced.tasks('push')).stderr).not.toContain('Add --yes');
      // Taking the text out of the note empties no issue.
      edit(synced, 'paint.md', (text) => text.slice(0, text.indexOf('## GitHub issue')));
      expect((await synced.tasks('push')).stdout).toBe('');
      expect((await synced.tasks(...PULL)).stdout).toBe('updated   acme/app#2  Sand it  title\n');
    }));

  it('GitHub: issues are opened for the tasks that the user names, once, with the text of their notes', () =>
    withGitHub(
      [],
      async (synced) => {
        const open = ['push', 'github', 'acme/app', '--new', 't_roof'] as const;
        const { stdout } = await synced.tasks(...open);
        expect(stdout).toContain('new issue in acme/app  Mend the roof\n    It leaks.\n');
        expect(await synced.tasks(...open, '--yes')).toMatchObject({ status: 0, stdout: 'pushed  acme/app#1\n' });
        expect(synced.issue(1).body).toMatch(
          /^It leaks\.\n\n## Acceptance criteria\n\n- \[ \] dry\n\n## Notes\n\nSee above\.\n\n<!-- roux:opened:[0-9a-f]{24} -->$/,
        );
        const note = synced.vault.read('projects/shed/roof.md');
        expect(note).toContain('  github: acme/app#1\n');
        expect(note).not.toContain('## GitHub issue');
        expect(await synced.tasks(...open, '--yes')).toMatchObject({
          status: 2,
          stderr: expect.stringContaining('belongs to acme/app#1 already'),
        });
        expect((await synced.tasks('pull', 'github', '--yes')).stderr).toContain('There is nothing to write.');
        synced.edit(1, { body: 'It leaks badly.' });
        await synced.tasks('pull', 'github', '--yes');
        expect(synced.vault.read('projects/shed/roof.md')).toContain('## GitHub issue\n\n```markdown\nIt leaks badly.\n```\n');
        expect(synced.read().repositories['acme/app']?.issues).toHaveLength(1);
      },
      { files: SHED },
    ));

  it('GitHub: a push that is interrupted anywhere does nothing twice when it is run again', async () => {
    const steps = ['addComment', 'closeIssue', 'updateIssue', 'createIssue'] as const;
    for (const at of steps) {
      for (const isAfter of [false, true]) {
        await withGitHub(
          [toIssue(1, 'Paint')],
          async (synced) => {
            await synced.tasks(...PULL);
            edit(synced, 'paint.md', (text) => text.replace('summary: Paint', 'summary: Paint twice'));
            await synced.roux('done', 'Paint twice', '--evidence', 'blue');
            synced.change((state) => void (state.faults = [{ at, skip: 0, isAfter, stderr: 'error connecting to api.github.com\n' }]));
            const push = ['push', 'github', 'acme/app', '--new', 't_roof', '--yes'] as const;
            const first = await synced.tasks(...push);
            expect([at, first.status]).toEqual([at, 3]);
            expect(first.stderr).toMatch(/GitHub cannot be reached|does nothing twice/);
            const second = await synced.tasks(...push);
            expect([at, isAfter, second.status, second.stderr]).toEqual([at, isAfter, 0, '']);
            expect(synced.issue(1)).toMatchObject({ state: 'CLOSED', title: 'Paint twice', comments: [expect.stringContaining('blue')] });
            expect(synced.read().repositories['acme/app']?.issues).toHaveLength(2);
            expect((await synced.tasks('push', '--yes')).stderr).toBe('There is nothing to push.\n');
          },
          { files: SHED },
        );
      }
    }
  });

  it('GitHub: an issue that was changed since it was looked at is not changed', () =>
    withGitHub([toIssue(1, 'Paint')], async (synced) => {
      await synced.tasks(...PULL);
      edit(synced, 'paint.md', (text) => text.replace('summary: Paint', 'summary: Paint twice'));
      // Between the plan and the change, somebody edits the issue.
      synced.change((state) => void (state.faults = [{ at: 'node', skip: 0, edits: { id: 'I_1', title: 'Theirs' } }]));
      const { status, stderr } = await synced.tasks('push', '--yes');
      expect(status).toBe(3);
      expect(stderr).toContain('acme/app#1: it was changed on GitHub a moment ago. Run the push again.\n0 pushed, 1 not.');
      expect(synced.issue(1).title).toBe('Theirs');
    }));

  it('GitHub: one issue that cannot be changed stops no other, and nothing is said to be done that is not', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand'), toIssue(3, 'Buy')], async (synced) => {
      await synced.tasks(...PULL);
      for (const name of ['Paint', 'Sand', 'Buy']) await synced.roux('done', name);
      const errors = [{ message: 'Issue is locked', type: 'UNPROCESSABLE' }];
      synced.change(
        (state) => void (state.faults = [{ at: 'closeIssue', skip: 1, stdout: JSON.stringify({ data: { closeIssue: null }, errors }) }]),
      );
      const { status, stdout, stderr } = await synced.tasks('push', '--yes');
      expect(status).toBe(3);
      expect(stdout.match(/^pushed/gm)).toHaveLength(2);
      expect(stderr).toMatch(
        /^acme\/app#\d: GitHub refuses this: Issue is locked\n2 pushed, 1 not\. Running it again does nothing twice\.\n$/,
      );
    }));

  it('GitHub: a task that names one issue and has the node id of another sends nothing to that one', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand')], async (synced) => {
      synced.change(({ repositories }) => (repositories['eve/sink'] = { id: 'R_2', issues: [{ ...toIssue(1, 'Paint'), id: 'I_eve' }] }));
      await synced.tasks(...PULL);
      edit(synced, 'paint.md', (text) => text.replace('id: I_1\n', 'id: I_eve\n'));
      await synced.roux('done', 'Paint', '--evidence', 'the plan');
      for (const repository of [[], ['acme/app']]) {
        const { stdout, stderr } = await synced.tasks('push', 'github', ...repository, '--yes');
        expect(stdout + stderr).toBe(
          '1 issue gone from GitHub or moved; "roux tasks pull github" looks for them.\nThere is nothing to push.\n',
        );
      }
      expect(changes(synced)).toEqual([]);
      // A pull says where the task is linked to.
      const { stdout } = await synced.tasks(...PULL);
      expect(stdout).toContain('eve/sink#1');
    }));

  it('GitHub: nothing is pushed from a vault that is read-only, where it could not be recorded', () =>
    withGitHub([toIssue(1, 'Paint')], async (synced) => {
      await synced.tasks(...PULL);
      await synced.roux('done', 'Paint', '--evidence', 'x');
      synced.vault.write('.rouxrc.json', '{"readOnly": true}');
      expect(await synced.tasks('push', '--yes')).toMatchObject({ status: 3, stdout: '', stderr: expect.stringContaining('"readOnly"') });
      expect(changes(synced)).toEqual([]);
      expect((await synced.tasks('push', '--dry-run')).stdout).toContain('close as completed');
    }));

  it('GitHub: a title that is too long is said, and the other tasks are pushed', () =>
    withGitHub([toIssue(1, 'Paint'), toIssue(2, 'Sand')], async (synced) => {
      await synced.tasks(...PULL);
      edit(synced, 'paint.md', (text) => text.replace('summary: Paint', `summary: ${'x'.repeat(300)}`));
      await synced.roux('done', 'Sand');
      const { status, stdout, stderr } = await synced.tasks('push', '--yes');
      expect({ status, stdout }).toEqual({ status: 1, stdout: 'pushed  acme/app#2\n' });
      expect(stderr).toContain('acme/app#1: a title on GitHub has 1 to 256 characters. Shorten the summary of the task.');
    }));
});
