import { describe, expect, it } from 'vitest';
import { withPage } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';

describe('the task board', () => {
  it('V-11 tells of each task where it stands and why, who holds it until when, and what holds most of them up', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        const ada = await agent('ada');
        await ada.ask('graph_open', { project: 'roof', goal: 'Seal the roof' });
        const { created } = await ada.ask('graph_plan', {
          project: 'roof',
          nodes: [
            { ref: 'buy', summary: 'Buy timber' },
            { ref: 'cut', summary: 'Cut timber', depends_on: ['buy'] },
            { ref: 'nail', summary: 'Nail it', depends_on: ['cut'] },
            { ref: 'paint', summary: 'Paint it', depends_on: ['cut'] },
            { ref: 'wait', summary: 'Wait for rain' },
            { ref: 'group', summary: 'Tidy up' },
            { ref: 'sweep', summary: 'Sweep', parent_ref: 'group' },
            { ref: 'done', summary: 'Look at it' },
          ],
        });
        const id = (ref: string): string => (created as { ref: string; id: string }[]).find((each) => each.ref === ref)?.id ?? '';
        await ada.ask('graph_update', {
          updates: [
            { node_id: id('wait'), blocked_reason: 'no clouds' },
            { node_id: id('done'), resolved: true, add_evidence: [{ type: 'note', ref: 'seen' }] },
          ],
        });
        await ada.ask('graph_next', { project: 'roof', claim: true, scope: id('group') });
        const { projects, board } = await page('task_board');
        expect(projects).toMatchObject([{ name: 'roof', total: 8, resolved: 1, blocked: 4, claimed: 1 }]);
        const states = Object.fromEntries(board.tasks.map(({ summary, state }: Record<string, string>) => [summary, state]));
        expect(states).toEqual({
          'Seal the roof': 'open',
          'Buy timber': 'ready',
          'Cut timber': 'blocked',
          'Nail it': 'blocked',
          'Paint it': 'blocked',
          'Wait for rain': 'blocked',
          'Tidy up': 'open',
          Sweep: 'claimed',
          'Look at it': 'done',
        });
        const task = (ref: string) => board.tasks.find((each: { id: string }) => each.id === id(ref));
        expect(task('cut').why).toEqual([{ kind: 'task', id: id('buy'), summary: 'Buy timber', state: 'ready' }]);
        expect(task('wait').why).toEqual([{ kind: 'hand', text: 'no clouds' }]);
        expect(task('sweep')).toMatchObject({ holder: 'ada', parent: id('group'), depth: 2 });
        // As long as ada is connected.
        expect(task('sweep').until).toBeUndefined();
        expect(task('done').evidence).toBe(1);
        expect(task('nail').depends_on).toEqual([id('cut')]);
        expect(board.critical_path.length).toBe(3);
        expect(board.critical_path.tasks.map(({ summary }: { summary: string }) => summary)).toEqual([
          'Buy timber',
          'Cut timber',
          'Nail it',
        ]);
        expect(board.holding_up).toMatchObject([{ id: id('buy'), waiting: 3, state: 'ready' }]);
        expect(board.circles).toEqual([]);

        const detail = await page('task_detail', { task: id('cut') });
        expect(detail).toMatchObject({ summary: 'Cut timber', depends_on: [{ id: id('buy'), state: 'ready' }], child_count: 0 });
        expect(detail.depended_by.map(({ id: each }: { id: string }) => each).sort()).toEqual([id('nail'), id('paint')].sort());
        expect(detail.history.events[0]).toMatchObject({ agent: 'ada', action: 'created' });
      }),
    ));

  it('V-15 says what resolving a task makes ready, and writes nothing; the resolution then bears the name of the person', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        const ada = await agent('ada');
        await ada.ask('graph_open', { project: 'p' });
        const { created } = await ada.ask('graph_plan', {
          nodes: [
            { ref: 'a', summary: 'First' },
            { ref: 'b', summary: 'Second', depends_on: ['a'] },
          ],
        });
        const [first, second] = created.map(({ id }: { id: string }) => id);
        const before = vault.files().map((file) => vault.read(file));
        const preview = await page('resolve_preview', { task: first });
        expect(preview).toMatchObject({ id: first, becomes_ready: [{ id: second, summary: 'Second' }], becomes_ready_count: 1 });
        expect(preview).toMatchObject({ evidence: 'none', warnings: [] });
        expect(vault.files().map((file) => vault.read(file))).toEqual(before);
        await page('graph_update', { updates: [{ node_id: first, resolved: true, expected_rev: preview.rev }] });
        const { history, task } = await page('task_detail', { task: first });
        expect(task.state).toBe('done');
        expect(history.events[0]).toMatchObject({ action: 'resolved' });
        expect(history.events[0].agent).toMatch(/ \(page\)$/);
      }),
    ));

  it('V-13 hands on what hostile agents wrote as values, bounded, and never anything of a prototype', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        const evil = await agent('<img src=x onerror=alert(1)>');
        await evil.ask('graph_open', { project: 'constructor' });
        const summary = `<script>alert(1)</script>${'x'.repeat(1900)}`;
        const { created } = await evil.ask('graph_plan', {
          nodes: [{ ref: '__proto', summary, properties: { toString: '"><svg onload=alert(1)>' } }],
        });
        await evil.ask('graph_next', { claim: true });
        const { board } = await page('task_board', { project: 'constructor' });
        expect(board.tasks[1].summary.length).toBeLessThanOrEqual(300);
        expect(board.tasks[1].holder).toBe('<img src=x onerror=alert(1)>');
        const detail = await page('task_detail', { task: created[0].id });
        expect(detail.summary).toBe(summary);
        expect(detail.properties).toMatchObject({ toString: '"><svg onload=alert(1)>' });
      }),
    ));

  it('a circle is told with its tasks, and a link that leads to no task', () =>
    withVault(
      {
        'projects/p/p.md': '---\ntype: project\nid: t_p\n---\n',
        'projects/p/a.md': '---\ntype: task\nid: t_a\ndepends_on: "[[b]]"\n---\n',
        'projects/p/b.md': '---\ntype: task\nid: t_b\ndepends_on: "[[a]]"\n---\n',
        'projects/p/c.md': '---\ntype: task\nid: t_c\ndepends_on: "[[gone]]"\n---\n',
      },
      (vault) =>
        withPage(vault, async ({ page }) => {
          const { board } = await page('task_board');
          expect(board.circles).toEqual([
            [
              { id: 't_a', summary: 'a' },
              { id: 't_b', summary: 'b' },
            ],
          ]);
          const why = Object.fromEntries(board.tasks.map((task: Record<string, unknown>) => [task['id'], task['why']]));
          expect(why['t_a'][0]).toEqual({ kind: 'circle' });
          expect(why['t_c']).toEqual([{ kind: 'missing', text: 'gone' }]);
          expect(board.critical_path.tasks).toEqual([]);
          expect(board.problems.join()).toContain('[[gone]]');
          expect((await page('task_detail', { task: 't_a' })).circle).toHaveLength(2);
        }),
    ));

  it('pages of a thousand tasks hold each task once, parents before their children, while others come and go', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, answer, agent }) => {
        const ada = await agent('ada');
        await ada.ask('graph_open', { project: 'large' });
        for (let part = 0; part < 3; part += 1)
          await ada.ask('graph_plan', {
            nodes: Array.from({ length: 500 }, (_, at) => ({
              ref: `n${at}`,
              summary: `${part} ${at}`,
              ...(at % 10 === 0 ? {} : { parent_ref: `n${at - (at % 10)}` }),
              ...(at < 20 ? {} : { depends_on: [`n${at - 20}`] }),
            })),
          });
        const first = (await page('task_board')).board;
        expect(first.tasks).toHaveLength(1000);
        expect(JSON.stringify(first).length).toBeLessThan(1_200_000);
        await ada.ask('graph_plan', { nodes: [{ ref: 'late', summary: 'late' }] });
        const last = first.tasks[999];
        await ada.ask('graph_restructure', { operations: [{ op: 'delete', node_id: last.id }] });
        const second = (await page('task_board', { cursor: first.next_cursor })).board;
        const all = [...first.tasks, ...second.tasks].map(({ id }: { id: string }) => id);
        expect(new Set(all).size).toBe(all.length);
        expect(second.tasks.some(({ summary }: { summary: string }) => summary === 'late')).toBe(true);
        expect(second.next_cursor).toBeUndefined();
        const places = new Map([...first.tasks, ...second.tasks].map(({ id }, at) => [id, at]));
        const early = [...first.tasks, ...second.tasks].filter(
          ({ id, parent }) => parent !== undefined && parent !== last.id && (places.get(parent) ?? Infinity) > (places.get(id) ?? 0),
        );
        expect(early).toEqual([]);
        expect((await answer('task_board', { cursor: 'nonsense' })).status).toBe(400);
      }),
    ));
});
