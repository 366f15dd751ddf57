import { mkdirSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { eventsOf } from '../../support/history.ts';
import { waitFor } from '../../support/wait-for.ts';
import { withTasks } from './task-session.ts';

const all = { flags: ['--toolsets', 'all'] };

describe('the notes of tasks under the tools for notes', () => {
  it('X-01 body, title, tags and free properties change as in any note; what the task graph hangs on is refused by name', () =>
    withTasks(async ({ ask, call, plan, node, vault }) => {
      const { a = '', b = '' } = await plan([
        { ref: 'a', summary: 'A', properties: { size: 1 } },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
      ]);
      const before = vault.read('projects/shed/a.md');
      const links = { parent: '[[shed]]', depends_on: ['[[b]]'], evidence: ['x'], context_links: ['x'] };
      for (const [name, value] of Object.entries({
        resolved: true,
        state: 'x',
        type: 'x',
        summary: 'x',
        _claimed_by: 'me',
        rev: 9,
        ...links,
      })) {
        const { isError, value: answer } = await call('update_node', { id: a, properties: { [name]: value } });
        expect([isError, answer.error?.message], name).toEqual([
          true,
          expect.stringMatching(new RegExp(`properties\\.${name}: .*graph_update`)),
        ]);
      }
      expect((await call('update_node', { id: a, type: 'note' })).value.error.message).toContain('graph_update');
      const again = { title: 'a', directory: 'projects/shed', if_exists: 'update', properties: { resolved: true } };
      expect((await call('create_node', again)).value.error.message).toContain('graph_update');
      expect(vault.read('projects/shed/a.md')).toBe(before);
      await ask('update_node', {
        id: a,
        title: 'Walls',
        content: 'Of wood.\n',
        tags: ['x'],
        properties: { size: 2, wood: ['oak', 'ash'] },
      });
      expect(await node(a)).toMatchObject({ id: a, summary: 'A', resolved: false, properties: { size: 2, wood: ['oak', 'ash'] } });
      expect(vault.read('projects/shed/walls.md')).toContain('tags:\n  - x\n');
      // links, parents and dependencies follow a rename by tool.
      expect(vault.read('projects/shed/b.md')).toMatch(/depends_on:\n {2}- "\[\[walls(?:\|[^\]]+)?\]\]"/);
      expect((await ask('graph_context', { node_id: b })).depends_on).toMatchObject([{ node: { id: a } }]);
    }, all));

  it('X-03 delete_node obeys what graph_restructure delete obeys, and one undo brings all of it back', () =>
    withTasks(async ({ ask, call, plan, ready, vault }) => {
      const {
        a = '',
        b = '',
        c = '',
      } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', parent_ref: 'a' },
        { ref: 'c', summary: 'C', depends_on: ['b'] },
      ]);
      await ask('graph_update', { updates: [{ node_id: b, add_evidence: [{ type: 'note', ref: 'done' }] }] });
      const root = await call('delete_node', { id: 'projects/shed/shed.md' });
      expect(root.value.error).toMatchObject({ code: 'delete_protected' });
      const before = Object.fromEntries(vault.files().map((file) => [file, vault.read(file)]));
      const { deleted, _warnings } = await ask('delete_node', { id: a });
      expect(deleted).toBe(true);
      expect(_warnings.join('\n')).toContain('"A" is a task: 1 below it went into the trash too.');
      expect(vault.files().filter((file) => /\/[abc]\.md$/.test(file))).toEqual(['projects/shed/c.md']);
      expect(vault.read('projects/shed/c.md')).not.toContain('depends_on');
      expect(await ready()).toEqual(['C']);
      const batch = vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? '';
      expect((await cli(['undo', batch, '--vault', vault.root])).status).toBe(0);
      const plain = (text: string): string => text.replace(/^(rev|updated_at): .*$/gm, '$1');
      for (const [file, text] of Object.entries(before)) expect(plain(vault.read(file)), file).toBe(plain(text));
      await waitFor(async () => (await ask('graph_context', { node_id: c })).depends_on.length === 1, { what: 'the undo' });
    }, all));

  it('X-06 a task that a person moves into another project belongs there, keeps id and history, and what it leaves behind is a named problem', () =>
    withTasks(async ({ ask, plan, node, vault }) => {
      const { a = '', b = '' } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', parent_ref: 'a', depends_on: ['c'] },
        { ref: 'c', summary: 'C' },
      ]);
      await ask('graph_open', { project: 'boat', goal: 'A boat' });
      mkdirSync(vault.path('projects/boat'), { recursive: true });
      renameSync(vault.path('projects/shed/b.md'), vault.path('projects/boat/b.md'));
      await waitFor(async () => (await ask('graph_query', { project: 'boat' })).nodes.some(({ id }: { id: string }) => id === b), {
        what: 'the task in its new project',
      });
      expect(await node(b)).toMatchObject({ id: b, summary: 'B' });
      const { problems } = await ask('graph_onboard', { project: 'boat' });
      expect(problems.join('\n')).toContain('"B" names "A" of the project shed as its parent (cross_project)');
      expect(problems.join('\n')).toContain('"B" depends on "C" of the project shed (cross_project)');
      expect((await ask('graph_history', { node_id: b })).events.map(({ action }: { action: string }) => action)).toContain('created');
      const { root = '' } = { root: (await ask('graph_query', { project: 'boat', filter: { ancestor: undefined } })).nodes[0].id };
      await ask('graph_restructure', { operations: [{ op: 'move', node_id: b, new_parent: root === b ? a : root }] }).catch(
        () => undefined,
      );
    }));

  it('X-07 a person deletes a task’s file: who depends on it says what it waits for, the history says external, its id is never given again', () =>
    withTasks(async ({ ask, call, plan, ready, vault }) => {
      const { a = '', b = '' } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
      ]);
      vault.remove('projects/shed/a.md');
      await waitFor(async () => (await call('graph_context', { node_id: a })).isError, { what: 'the removal' });
      expect(await ready()).toEqual([]);
      expect((await ask('graph_onboard', { project: 'shed' })).problems.join('\n')).toContain('"B" waits for [[a]], which is no task.');
      await waitFor(() => eventsOf(vault).some(({ path, agent }) => path === 'projects/shed/a.md' && agent === 'external'), {
        what: 'the event',
      });
      const again = await plan([{ ref: 'a', summary: 'A' }]);
      expect([a, b]).not.toContain(again['a']);
    }));

  it('X-33 a claim stays with its agent through rename, move, merge and edits by hand; who resolves what another holds is told', () =>
    withTasks(
      async (ada) => {
        const { vault, plan, ask, call } = ada;
        const holder = async (id: string): Promise<unknown> => (await ada.node(id)).properties._claimed_by;
        const told = async (tool: string, args: Record<string, unknown>): Promise<string> =>
          JSON.parse((await call(tool, args)).texts[1] ?? '{}')._warnings.join('\n');
        const { a = '' } = await plan([{ ref: 'a', summary: 'A' }]);
        await ask('graph_next', { claim: true });
        const { b = '', d = '' } = await plan([
          { ref: 'b', summary: 'B' },
          { ref: 'd', summary: 'D' },
        ]);
        await withServer(vault, (bo) => bo.ask('graph_next', { claim: true, count: 2 }), { clientName: 'bo' });
        const { c = '' } = await plan([{ ref: 'c', summary: 'C' }]);
        expect([await holder(a), await holder(b), await holder(d), await holder(c)]).toEqual(['ada', 'bo', 'bo', undefined]);

        await ask('update_node', { id: a, title: 'Walls' });
        await ask('graph_restructure', { operations: [{ op: 'move', node_id: a, new_parent: c }] });
        vault.write('projects/shed/walls.md', `${vault.read('projects/shed/walls.md')}A word by hand.\n`);
        await waitFor(async () => (await ask('get_node', { id: a })).content.includes('by hand'), { what: 'the edit' });
        expect(await holder(a)).toBe('ada');

        const merge = { operations: [{ op: 'merge', source: d, target: a }] };
        const tried = await ask('graph_restructure', { ...merge, dry_run: true });
        expect(tried._warnings).toEqual(['"D" was held by bo; "A" stays with ada.']);
        expect(await told('graph_restructure', merge)).toContain('"D" was held by bo; "A" stays with ada.');
        expect(await holder(a)).toBe('ada');
        await ask('graph_restructure', { operations: [{ op: 'merge', source: b, target: c }] });
        expect(await holder(c)).toBe('bo');
        expect(await told('graph_update', { updates: [{ node_id: c, resolved: true }] })).toContain('"C" is held by bo until');
        await ask('delete_node', { id: a });
        expect((await ask('graph_next', {})).your_claims).toBeUndefined();
      },
      { clientName: 'ada', ...all },
    ));
});
