import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCriticalPath } from '../../../src/graph/tasks/critical-path.ts';
import { findDeadlocks, waitsFor } from '../../../src/graph/tasks/deadlock.ts';
import { newTask, LiveProject } from '../../../src/graph/tasks/task.ts';
import type { LiveTask } from '../../../src/graph/tasks/task.ts';
import type { TaskNote } from '../../../src/graph/tasks/task-note.ts';

/** Tasks by number, with what each depends on, its parent and whether it is done. */
function make(rows: readonly { readonly deps: readonly number[]; readonly parent: number | null; readonly done: boolean }[]) {
  const project = new LiveProject('p');
  const name = (at: number): string => `${String(at).padStart(3, '0')}.md`;
  const tasks = rows.map(({ done }, at): LiveTask =>
    newTask({ path: name(at), id: name(at), isResolved: done } as unknown as TaskNote, project),
  );
  for (const [at, { deps, parent }] of rows.entries()) {
    const task = tasks[at] as LiveTask;
    task.dependencies = deps.filter((dep) => dep < rows.length).map((dep) => ({ path: name(dep) as never, text: name(dep) }));
    const above = parent === null || parent >= at ? undefined : tasks[parent];
    if (above === undefined) continue;
    task.parent = above;
    above.children.add(task);
    if (!task.note.isResolved) above.openChildren += 1;
  }
  return { tasks, lookup: (path: string) => tasks.find(({ note }) => note.path === path) ?? null };
}

const rows = fc.array(
  fc.record({ deps: fc.array(fc.nat(8), { maxLength: 3 }), parent: fc.option(fc.nat(8), { nil: null }), done: fc.boolean() }),
  { minLength: 1, maxLength: 9 },
);

describe('the critical path', () => {
  it('V-11 is as long as the longest chain of work that trying all of them finds, and each waits for the one before', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const { tasks, lookup } = make(given);
        const stuck = new Set(findDeadlocks(tasks, lookup).flat());
        const longest = (task: LiveTask): number => {
          const next = [...waitsFor(task, lookup)].filter((each) => !stuck.has(each)) as LiveTask[];
          return (task.openChildren > 0 ? 0 : 1) + Math.max(0, ...next.map(longest));
        };
        const open = tasks.filter((task) => !task.note.isResolved && !stuck.has(task));
        const most = Math.max(0, ...open.filter(({ openChildren }) => openChildren === 0).map(longest));
        const path = findCriticalPath(tasks, lookup);
        expect(path.length).toBe(most < 2 ? 0 : most);
        expect(path.tasks.filter((task) => task.note.isResolved || stuck.has(task))).toEqual([]);
        for (const [at, before] of path.tasks.slice(0, -1).entries()) expect([...waitsFor(path.tasks[at + 1]!, lookup)]).toContain(before);
        expect(path.tasks.filter(({ openChildren }) => openChildren === 0).length).toBe(path.length);
      }),
    );
  });

  it('is found in a chain longer than the call stack', () => {
    const { tasks } = make(Array.from({ length: 60_000 }, (_, at) => ({ deps: at === 0 ? [] : [at - 1], parent: null, done: false })));
    const byPath = new Map(tasks.map((task) => [task.note.path as string, task]));
    expect(findCriticalPath(tasks, (path) => byPath.get(path) ?? null).length).toBe(60_000);
  });
});
