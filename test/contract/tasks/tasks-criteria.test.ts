import { describe, expect, it } from 'vitest';
import { hasGit, mergeSides, openGitVault } from '../../support/git.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { toTaskSession, withTasks } from './task-session.ts';

const FILE = 'projects/shed/the-door-works.md';

describe('acceptance criteria', () => {
  it('T-06 are checkboxes of the note with their evidence, which a person ticks in any editor', () =>
    withTasks(async ({ ask, plan, refuse, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'The door works', criteria: ['It closes', 'It is blue', '# odd [x] `text` %%'] }]);
      expect(vault.read(FILE)).toContain('---\n## Acceptance criteria\n\n- [ ] It closes\n- [ ] It is blue\n- [ ] ');
      const criteria = async (): Promise<unknown> => (await ask('graph_next', {})).nodes[0].criteria;
      const open = (text: string) => ({ text, met: false });
      expect(await criteria()).toEqual([open('It closes'), open('It is blue'), open('# odd [x] `text` %%')]);
      vault.write(FILE, vault.read(FILE).replace('- [ ] It is blue', '- [x] It is blue ✅ 2026-11-29\n  - seen by Ida'));
      await ask('graph_update', {
        updates: [
          { node_id: a, criteria: { 'it closes ': 'test: npm run door [all]', '# odd [x] `text` %%': 'a photo' } },
          { node_id: a, criteria: { 'It locks': null } },
        ],
      });
      expect(vault.read(FILE)).toContain('\n- [x] It is blue ✅ 2026-11-29\n  - seen by Ida\n');
      expect(vault.read(FILE)).toContain('- [x] It closes [evidence:: ');
      const met = { text: 'It closes', met: true, evidence: 'test: npm run door [all]' };
      expect(await criteria()).toEqual([
        met,
        { text: 'It is blue', met: true },
        { text: '# odd [x] `text` %%', met: true, evidence: 'a photo' },
        open('It locks'),
      ]);
      expect((await ask('graph_context', { node_id: a })).criteria[0]).toEqual(met);
      await ask('graph_update', { updates: [{ node_id: a, criteria: { 'It closes': null } }] });
      expect(vault.read(FILE)).toContain('- [ ] It closes\n');
      const { error } = { error: await refuse('graph_update', { updates: [{ node_id: a, criteria: { 'It closez': 'yes' } }] }) };
      expect(error).toMatchObject({ code: 'criterion_not_found', message: expect.stringContaining('"It closes"') });
      expect((await ask('graph_history', { node_id: a })).events[0].changes).toContainEqual({
        field: 'criteria',
        before: null,
        after: { 'It closes': null },
      });
      // What a person crossed out is no criterion any more.
      vault.write(FILE, vault.read(FILE).replace('- [ ] It locks', '- [-] It locks'));
      expect(await criteria()).toHaveLength(3);
    }));

  it.each([true, false])('T-06 with an open one a task is refused or warned of, as tasks.strictCriteria says (%s)', (strictCriteria) =>
    withTasks(
      async ({ ask, call, plan, vault }) => {
        const { a } = await plan([{ ref: 'a', summary: 'The door works', criteria: ['It closes', 'It is blue'] }]);
        const resolve = (criteria?: object) =>
          call('graph_update', {
            updates: [
              { node_id: a, resolved: true, add_evidence: [{ type: 'note', ref: 'x' }], ...(criteria === undefined ? {} : { criteria }) },
            ],
          });
        const before = vault.read(FILE);
        const first = await resolve({ 'It closes': 'tried' });
        expect(first.isError).toBe(strictCriteria);
        expect(first.texts.join()).toContain('has open acceptance criteria: \\"It is blue\\"');
        expect(vault.read(FILE) === before).toBe(strictCriteria);
        await ask('graph_update', { updates: [{ node_id: a, resolved: false }] });
        // Met in the same call, and by the hand of a person.
        vault.write(FILE, vault.read(FILE).replace('- [ ] It is blue', '- [X] It is blue'));
        const second = await resolve({ 'It closes': 'tried' });
        expect(second.isError).toBe(false);
        expect(second.texts.join()).not.toContain('criteria');
      },
      { config: { tasks: { strictCriteria } } },
    ),
  );

  it('T-06 evidence of a criterion is evidence of the task, and a merge of tasks brings criteria along', () =>
    withTasks(async ({ ask, call, plan }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'The door works', criteria: ['It closes'] },
        { ref: 'b', summary: 'Door', criteria: ['it CLOSES', 'It locks'] },
      ]);
      await ask('graph_update', { updates: [{ node_id: b, criteria: { 'It locks': 'with the old key' } }] });
      await ask('graph_restructure', { operations: [{ op: 'merge', source: b, target: a }] });
      expect((await ask('graph_context', { node_id: a })).criteria).toEqual([
        { text: 'It closes', met: false },
        { text: 'It locks', met: true, evidence: 'with the old key' },
      ]);
      const { c } = await plan([{ ref: 'c', summary: 'Lamp', criteria: ['It shines'] }]);
      const { texts } = await call('graph_update', { updates: [{ node_id: c, criteria: { 'It shines': 'seen' }, resolved: true }] });
      expect(texts.join()).not.toContain('no evidence');
      expect(
        (
          await call('graph_update', {
            updates: [{ node_id: c, criteria: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`c${at}`, null])) }],
          })
        ).texts.join(),
      ).toContain('at most 50 criteria');
    }));

  it.skipIf(!hasGit)('T-06 two branches that meet, add and hand over merge by themselves, and a criterion met on one is met', () =>
    withVault({}, async (files) => {
      let id = '';
      await withServer(files, async (session) => {
        await session.ask('graph_open', { project: 'shed', goal: 'A shed' });
        id = (await toTaskSession(session, files).plan([{ ref: 'a', summary: 'The door works', criteria: ['It closes', 'It is blue'] }]))[
          'a'
        ]!;
      });
      const vault = openGitVault(files, ['--all', '--', ':!.roux']);
      const side = (who: string, criteria: object) => () =>
        withServer(
          files,
          async ({ ask }) => {
            await ask('graph_update', { updates: [{ node_id: id, criteria }] });
            await ask('graph_handoff', { node_id: id, left: `what ${who} left` });
          },
          { clientName: who },
        );
      const merged = await mergeSides(vault, {
        ours: side('ada', { 'It closes': 'seen by ada', 'It locks': null }),
        theirs: side('bob', { 'It closes': 'seen by bob', 'It shines': null }),
      });
      expect(merged.output).not.toContain('<<<<<<<');
      await withServer(files, async ({ ask }) => {
        const { criteria, handoff } = await ask('graph_context', { node_id: id });
        expect(criteria).toEqual([
          { text: 'It closes', met: true, evidence: expect.stringMatching(/^seen by (ada|bob)$/) },
          { text: 'It is blue', met: false },
          ...['It locks', 'It shines'].map((text) => ({ text, met: false })),
        ]);
        expect(handoff.left.toSorted()).toEqual(['what ada left', 'what bob left']);
      });
      expect(merged, merged.output).toMatchObject({ status: 0 });
    }),
  );
});
