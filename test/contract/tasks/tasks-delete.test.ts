import { describe, expect, it } from 'vitest';

import { withTasks } from './task-session.ts';

describe('graph_restructure delete', () => {
  it('S1-84 puts the subtree into the trash, takes edges and typed links to it away, keeps history and prose, and says what comes free', async () => {
    await withTasks(
      async ({ ask, call, plan, node, ready, vault }) => {
        const ids = await plan([
          { ref: 'roof', summary: 'Roof' },
          { ref: 'felt', summary: 'Felt', parent_ref: 'roof' },
          { ref: 'nails', summary: 'Nails', parent_ref: 'felt' },
          { ref: 'paint', summary: 'Paint', depends_on: ['felt', 'sand'] },
          { ref: 'sand', summary: 'Sand' },
          { ref: 'party', summary: 'Party', depends_on: ['roof', 'nails'] },
        ]);
        await ask('graph_connect', { edges: [{ from: ids['sand'], to: ids['felt'], type: 'relates_to' }] });
        vault.write('projects/shed/sand.md', `${vault.read('projects/shed/sand.md')}See [[nails]].\n`);
        const answer = await call('graph_restructure', { operations: [{ op: 'delete', node_id: ids['roof'] }] });
        expect(answer.value).toEqual({
          applied: 1,
          details: [{ op: 'delete', node_id: ids['roof'], result: 'deleted 3 nodes' }],
          newly_actionable: [{ id: ids['party'], summary: 'Party' }],
        });
        expect(answer.texts.slice(1).join('\n')).toContain('projects/shed/sand.md: the link to nails now leads nowhere.');
        expect(answer.texts.slice(1).join('\n')).not.toContain('party');
        expect(vault.files().filter((file) => file.startsWith('projects/'))).toEqual([
          'projects/shed/paint.md',
          'projects/shed/party.md',
          'projects/shed/sand.md',
          'projects/shed/shed.md',
        ]);
        expect(vault.read('projects/shed/party.md')).not.toContain('depends_on');
        expect(vault.read('projects/shed/paint.md')).toContain('depends_on:\n  - "[[sand]]"\n');
        expect(vault.read('projects/shed/sand.md')).not.toContain('relates_to');
        expect(vault.read('projects/shed/sand.md')).toContain('See [[nails]].');
        expect(await node(ids['party']!)).toMatchObject({ rev: 2 });
        expect(await ready()).toEqual(['Sand', 'Party']);
        expect(vault.read('house.md')).toBe('---\nid: house\n---\nAbout [[felt]].\n');
        const { events } = await ask('graph_history', { node_id: ids['felt'] });
        expect(events.map(({ action }: { action: string }) => action)).toEqual(['deleted', 'created']);
        expect(events[0].changes).toEqual([{ field: 'summary', before: 'Felt', after: null }]);
      },
      { files: { 'house.md': '---\nid: house\ncovers: "[[felt]]"\n---\nAbout [[felt]].\n' } },
    );
  });

  it('S1-84 keeps a project in which work was done, deletes one without, and knows nothing of what is gone', async () => {
    await withTasks(async ({ ask, refuse, plan, resolve, vault }) => {
      const root = (await ask('graph_open', { project: 'shed' })).root.id;
      const { a, b } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B' },
      ]);
      const remove = (id: string) => ({ operations: [{ op: 'delete', node_id: id }] });
      expect((await refuse('graph_restructure', remove('nope'))).code).toBe('node_not_found');
      await resolve(a!);
      const before = vault.files().map((file) => vault.read(file));
      const twice = { operations: [...remove(a!).operations, { op: 'drop', node_id: a, reason: 'x' }] };
      expect(await refuse('graph_restructure', twice)).toMatchObject({ code: 'node_not_found' });
      expect(await refuse('graph_restructure', remove(root))).toMatchObject({
        code: 'delete_protected',
        message: expect.stringContaining('"A" has some'),
      });
      expect(vault.files().map((file) => vault.read(file))).toEqual(before);
      await ask('graph_restructure', remove(a!));
      expect(await ask('graph_restructure', remove(root))).toEqual({
        applied: 1,
        details: [{ op: 'delete', node_id: root, result: 'deleted 2 nodes' }],
      });
      expect(await ask('graph_open')).toEqual({ projects: [] });
      expect((await refuse('graph_context', { node_id: b })).code).toBe('node_not_found');
    });
  });
});
