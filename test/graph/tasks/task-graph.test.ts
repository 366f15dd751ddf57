import { describe, expect, it } from 'vitest';
import { findDeadlocks } from '../../../src/graph/tasks/deadlock.ts';
import { isLong } from '../../support/effort.ts';
import { putFile } from '../graph-of.ts';
import { nameOf, pathOf, tasksOf, taskText } from './task-files.ts';

describe('readiness', () => {
  it('S1-08 a task is actionable when it is open, has no open child and waits for nothing', () => {
    const { get, ranked } = tasksOf({
      p: { type: 'project' },
      area: { parent: 'p' },
      first: { parent: 'area' },
      second: { parent: 'area', depends_on: ['first'] },
      done: { parent: 'p', resolved: true },
      after: { parent: 'p', depends_on: ['done'] },
    });
    expect(ranked()).toEqual(['first', 'after']);
    expect(get('area').isActionable).toBe(false);
    expect(get('done').isActionable).toBe(false);
  });

  it('S1-09 blocked is what is open and waits for something open', () => {
    const { get, tasks } = tasksOf({ p: { type: 'project' }, a: {}, b: { depends_on: ['a'] }, c: { depends_on: ['b'], resolved: true } });
    expect([get('a').isBlocked, get('b').isBlocked, get('c').isBlocked]).toEqual([false, true, false]);
    expect(tasks.project('p')?.counts).toEqual({ total: 4, resolved: 1, unresolved: 3, blocked: 1, actionable: 1 });
  });

  it('S1-10 the root counts but is never actionable, not even when all else is done', () => {
    const { tasks, ranked } = tasksOf({ p: { type: 'project' }, a: { parent: 'p', resolved: true } });
    expect(ranked()).toEqual([]);
    expect(tasks.project('p')?.counts).toEqual({ total: 2, resolved: 1, unresolved: 1, blocked: 0, actionable: 0 });
  });

  it('S1-12 resolving by hand unblocks at once, and un-resolving blocks again', () => {
    const { put, ranked } = tasksOf({ p: { type: 'project' }, a: { parent: 'p' }, b: { parent: 'p', depends_on: ['a'] } });
    expect(ranked()).toEqual(['a']);
    put('a', { parent: 'p', resolved: true });
    expect(ranked()).toEqual(['b']);
    put('a', { parent: 'p', resolved: false });
    expect(ranked()).toEqual(['a']);
  });

  it('S1-12 a dependency added by hand blocks at once', () => {
    const { put, ranked } = tasksOf({ p: { type: 'project' }, a: {}, b: {} });
    put('b', { depends_on: ['a'] });
    expect(ranked()).toEqual(['a']);
  });

  it('S1-46 a dependency on a note that is not there stays, unsatisfied, until the note comes', () => {
    const { get, put, remove } = tasksOf({ p: { type: 'project' }, b: { depends_on: ['gone'] } });
    expect(get('b').dependencies).toEqual([{ path: null, text: 'gone' }]);
    expect(get('b').isBlocked).toBe(true);
    put('gone', { resolved: true });
    expect(get('b').isActionable).toBe(true);
    remove('gone');
    expect(get('b').isBlocked).toBe(true);
  });

  it('depends on a note that is no task as on a missing one, until it becomes a task', () => {
    const { get, put, graph } = tasksOf({ p: { type: 'project' }, b: { depends_on: ['prose'] } });
    putFile(graph, { path: pathOf('prose'), text: 'only words' });
    expect(get('b').isBlocked).toBe(true);
    put('prose', { resolved: true });
    expect(get('b').isActionable).toBe(true);
  });

  it('follows a link that leads elsewhere when another note takes the name', () => {
    const { get, put } = tasksOf({ p: { type: 'project' }, 'p/deep/a': { resolved: true }, b: { depends_on: ['a'] } });
    expect(get('b').isActionable).toBe(true);
    // The shorter path wins, though neither note that links was changed.
    put('a', { resolved: false });
    expect(get('b').isBlocked).toBe(true);
  });
});

describe('trees', () => {
  it('hangs tasks without a parent, or with one that is none, from the root', () => {
    const { get } = tasksOf({
      p: { type: 'project' },
      q: { type: 'task' },
      'other/other': { type: 'project' },
      a: { parent: 'other' },
      b: { parent: 'nowhere' },
    });
    expect(['q', 'a', 'b'].map((name) => get(name).parent?.note.path)).toEqual([pathOf('p'), pathOf('p'), pathOf('p')]);
  });

  it('finds the root by its name among projects, and takes another when it goes', () => {
    const { tasks, remove, put } = tasksOf({ p: { type: 'project' }, a: { type: 'project' }, b: { parent: 'p' }, c: {} });
    const roots = (): (string | undefined)[] => tasks.projects().map(({ root }) => root?.note.path);
    expect(roots()).toEqual([pathOf('p')]);
    remove('p');
    expect(roots()).toEqual([pathOf('a')]);
    expect(tasks.get(pathOf('c'))?.depth).toBe(1);
    put('p', { type: 'project' });
    expect(roots()).toEqual([pathOf('p')]);
    expect(tasks.get(pathOf('a'))?.parent?.note.path).toBe(pathOf('p'));
  });

  it('keeps depths and counts when a subtree moves', () => {
    const { get, put } = tasksOf({
      p: { type: 'project' },
      a: { parent: 'p' },
      b: { parent: 'p' },
      c: { parent: 'a' },
      d: { parent: 'c', resolved: true },
    });
    expect(get('d').depth).toBe(3);
    put('c', { parent: 'b' });
    expect(get('a').isActionable).toBe(true);
    expect(get('b').below).toEqual({ total: 2, resolved: 1 });
    put('c', { parent: 'p' });
    expect(get('d').depth).toBe(2);
    expect(get('p').below).toEqual({ total: 4, resolved: 1 });
  });

  it('S1-12 a loop of parents made by hand hangs nothing: its members are blocked, hang from the root, and come free again', () => {
    const { get, put, tasks } = tasksOf({
      p: { type: 'project' },
      a: { parent: 'b' },
      b: { parent: 'c' },
      c: { parent: 'a' },
      below: { parent: 'a' },
    });
    expect(['a', 'b', 'c'].map((name) => [get(name).isBlocked, get(name).parent?.isRoot])).toEqual(Array(3).fill([true, true]));
    expect(get('below').isActionable).toBe(true);
    expect(findDeadlocks(tasks.project('p')!.tasks, (path) => tasks.get(path)).map((group) => group.map(nameOf))).toEqual([
      ['a', 'b', 'c'],
    ]);
    put('c', { parent: 'p' });
    expect(['a', 'b', 'c'].map((name) => get(name).loop)).toEqual([null, null, null]);
    expect(get('below').depth).toBe(4);
  });

  it('S1-12 a loop of dependencies made by hand hangs nothing, blocks its members and is found', () => {
    const { get, tasks, put } = tasksOf({
      p: { type: 'project' },
      a: { depends_on: ['b'] },
      b: { depends_on: ['c'] },
      c: { depends_on: ['a'] },
      self: { depends_on: ['self'] },
    });
    expect(['a', 'b', 'c', 'self'].map((name) => get(name).isBlocked)).toEqual([true, true, true, true]);
    const deadlocks = (): string[][] =>
      findDeadlocks(tasks.project('p')!.tasks, (path) => tasks.get(path)).map((group) => group.map(nameOf));
    expect(deadlocks()).toEqual([['a', 'b', 'c'], ['self']]);
    put('b', { resolved: true });
    expect(deadlocks()).toEqual([['self']]);
    expect(get('a').isActionable).toBe(true);
  });

  it('finds a child that waits for its own ancestor', () => {
    const { tasks } = tasksOf({ p: { type: 'project' }, a: { parent: 'p' }, b: { parent: 'a', depends_on: ['a'] } });
    expect(findDeadlocks(tasks.project('p')!.tasks, (path) => tasks.get(path)).map((group) => group.map(nameOf))).toEqual([['a', 'b']]);
  });

  it('survives a chain of parents longer than the call stack', () => {
    const length = isLong ? 12_000 : 9_000;
    const files = Object.fromEntries(Array.from({ length }, (_, index) => [`t${index}`, { parent: index === 0 ? 'p' : `t${index - 1}` }]));
    const { get, tasks, ranked } = tasksOf({ p: { type: 'project' }, ...files });
    expect(get(`t${length - 1}`).depth).toBe(length);
    expect(ranked()).toEqual([`t${length - 1}`]);
    expect(findDeadlocks(tasks.project('p')!.tasks, (path) => tasks.get(path))).toEqual([]);
  });
});

describe('order', () => {
  it('S1-33 ranks by priority, then depth, then what waited longest, then id', () => {
    const { ranked } = tasksOf({
      p: { type: 'project' },
      area: { parent: 'p' },
      low: { parent: 'p', priority: -1 },
      deep: { parent: 'area' },
      old: { parent: 'p', updated: '2025-01-01T00:00:00.000Z' },
      b: { parent: 'p' },
      a: { parent: 'p' },
      text: { parent: 'p', priority: '7' },
      nonsense: { parent: 'p', priority: 'high' },
      ten: { parent: 'p', priority: 10 },
      yes: { parent: 'p', priority: true },
    });
    expect(ranked()).toEqual(['ten', 'text', 'deep', 'old', 'a', 'b', 'nonsense', 'yes', 'low']);
  });

  it('ranks anew when a task moves deeper, is touched or gets another priority', () => {
    const { ranked, put } = tasksOf({
      p: { type: 'project' },
      top: { parent: 'p' },
      a: { parent: 'p' },
      b: { parent: 'p' },
      leaf: { parent: 'top' },
    });
    expect(ranked()).toEqual(['leaf', 'a', 'b']);
    put('a', { parent: 'p', updated: '2026-02-01T00:00:00.000Z' });
    expect(ranked()).toEqual(['leaf', 'b', 'a']);
    put('a', { parent: 'p', priority: 1 });
    expect(ranked()).toEqual(['a', 'leaf', 'b']);
    put('leaf', { parent: 'p' });
    expect(ranked()).toEqual(['a', 'b', 'leaf', 'top']);
  });
});

describe('cost', () => {
  const size = 10_000;
  const files = Object.fromEntries(
    Array.from({ length: size }, (_, index) => [
      `t${index}`,
      {
        parent: index < 10 ? 'p' : `t${Math.floor(index / 10)}`,
        ...(index > 0 && index % 7 === 0 ? { depends_on: [`t${index - 1}`] } : {}),
      },
    ]),
  );

  it('a change visits the tasks that it concerns, not the project', () => {
    const { tasks, put, remove, graph } = tasksOf({ p: { type: 'project' }, ...files });
    const cost = (change: () => void): number => {
      const before = tasks.steps;
      change();
      return tasks.steps - before;
    };
    const leaf = { parent: 't999' };
    expect(cost(() => put('t9996', { ...leaf, resolved: true }))).toBeLessThan(20);
    expect(cost(() => put('t9996', { ...leaf, priority: 3 }))).toBeLessThan(20);
    expect(cost(() => put('t9996', { parent: 't5' }))).toBeLessThan(20);
    expect(cost(() => put('new', { parent: 't5', depends_on: ['t1', 't2'] }))).toBeLessThan(20);
    expect(cost(() => remove('new'))).toBeLessThan(20);
    expect(cost(() => graph.remove('projects/elsewhere.md'))).toBeLessThan(20);
    // A subtree of 1,111 tasks gets new depths: that many, and no more than a few times.
    const subtree = tasks.get(pathOf('t1'))!.below.total;
    expect(cost(() => put('t1', { parent: 't2' }))).toBeLessThan(4 * subtree);
  });

  it('says nothing of notes outside the projects folder, but of those that lists leave out (X-24)', () => {
    const { tasks, graph } = tasksOf({ p: { type: 'project' } });
    putFile(graph, { path: 'inbox/a.md', text: taskText({}) });
    putFile(graph, { path: 'projects/loose.md', text: taskText({}) });
    putFile(graph, { path: pathOf('hidden'), text: taskText({}), isHidden: true });
    putFile(graph, { path: pathOf('prose'), text: '---\ntype: note\n---\n' });
    putFile(graph, { path: pathOf('keyed'), text: taskText({ type: null, resolved: false }) });
    expect([...tasks.project('p')!.tasks].map(nameOf)).toEqual(['p', 'hidden', 'keyed']);
  });
});
