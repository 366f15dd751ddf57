import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedList } from '../../../src/graph/tasks/sorted-list.ts';
import { TaskGraph } from '../../../src/graph/tasks/task-graph.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { fileFacts, noteOf } from '../graph-of.ts';
import { describeTasks, pathOf, tasksOf, taskText } from './task-files.ts';
import type { TaskFile } from './task-files.ts';
import { runs } from '../../support/effort.ts';

const NAMES = ['p', 'a', 'b', 'c', 'd', 'e', 'f', 'p/deep/a', 'q/a', 'q/q', 'q/z'];
const LINKS = ['p', 'a', 'b', 'c', 'd', 'e', 'f', 'q', 'z', 'deep/a', 'q/a', 'missing'];

const file: fc.Arbitrary<TaskFile> = fc.record({
  type: fc.constantFrom('task', 'task', 'task', 'project', 'note', null),
  resolved: fc.constantFrom(true, false, undefined),
  parent: fc.constantFrom(null, ...LINKS),
  depends_on: fc.array(fc.constantFrom(...LINKS), { maxLength: 3 }),
  blocked: fc.constantFrom(undefined, undefined, undefined, true, false, 'rain'),
  claimedBy: fc.constantFrom(undefined, 'ada'),
  priority: fc.constantFrom(0, 1, '2', 'x', null),
  updated: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
});
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), name, file }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), name, to: name, file }) },
);

describe('the incremental task graph', () => {
  it('equals one that is built anew, after any edits, one by one or in batches', () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 12 }), (batches) => {
        const { graph, tasks, put, remove } = tasksOf({});
        for (const batch of batches) {
          graph.batch(() => {
            for (const one of batch) {
              if (one.kind === 'put') put(one.name, one.file);
              else if (one.kind === 'remove') remove(one.name);
              else if (graph.get(pathOf(one.name)) !== null && graph.get(pathOf(one.to)) === null) {
                graph.move(pathOf(one.name) as NotePath, noteOf(pathOf(one.to), taskText(one.file)), fileFacts());
              }
            }
          });
          expect(describeTasks(tasks)).toEqual(describeTasks(new TaskGraph(graph, 'projects')));
          expectDefinitions(tasks);
        }
      }),
      { numRuns: runs(120) },
    );
  });
});

/** Holds what is kept against the definitions, task by task. */
function expectDefinitions(tasks: TaskGraph): void {
  for (const project of tasks.projects()) {
    for (const task of project.tasks) {
      const isDone = (path: string | null): boolean => path !== null && tasks.get(path)?.note.isResolved === true;
      const openDependencies = task.dependencies.filter(({ path }) => !isDone(path)).length;
      const openChildren = [...task.children].filter((child) => !child.note.isResolved).length;
      const isOpen = !task.note.isResolved;
      const isBlocked = isOpen && (openDependencies > 0 || task.loop !== null || task.note.blocked !== null);
      const isActionable = isOpen && !isBlocked && openChildren === 0 && task !== project.root;
      expect({
        openDependencies: task.openDependencies,
        openChildren: task.openChildren,
        isBlocked: task.isBlocked,
        isActionable: task.isActionable,
      }).toEqual({
        openDependencies,
        openChildren,
        isBlocked,
        isActionable,
      });
      expect(task.depth).toBe(task === project.root ? 0 : (task.parent?.depth ?? 0) + 1);
    }
    expect(project.claimed).toEqual(new Set([...project.tasks].filter(({ note }) => note.claim !== null && !note.isResolved)));
    expect(new Set(project.ranked())).toEqual(new Set([...project.tasks].filter(({ isActionable }) => isActionable)));
  }
}

describe('the sorted list', () => {
  it('holds what an array that is sorted each time holds', () => {
    const entry = fc.record({ kind: fc.constantFrom('add', 'add', 'delete'), value: fc.nat(2000) });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 3000, size: 'max' }), fc.nat(2000), (entries, from) => {
        const list = new SortedList<number>((a, b) => a - b);
        const model = new Set<number>();
        for (const { kind, value } of entries) {
          const isThere = model.has(value);
          if (kind === 'delete') {
            model.delete(value);
            if (list.delete(value) !== isThere) throw new Error(`deleting ${value} said ${!isThere}`);
          } else if (!model.has(value)) {
            model.add(value);
            list.add(value);
          }
        }
        const sorted = [...model].sort((a, b) => a - b);
        expect([...list.values()]).toEqual(sorted);
        expect(list.size).toBe(sorted.length);
        expect([...list.values((value) => value < from)]).toEqual(sorted.filter((value) => value >= from));
      }),
      { numRuns: runs(30) },
    );
  });
});
