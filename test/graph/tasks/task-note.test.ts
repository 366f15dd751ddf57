import { expect, it } from 'vitest';
import { isEdgeKey, readTask } from '../../../src/graph/tasks/task-note.ts';
import type { TaskNote } from '../../../src/graph/tasks/task-note.ts';
import { graphOf } from '../graph-of.ts';

function readAs(frontmatter: string): TaskNote | null {
  const graph = graphOf({ 'projects/p/a.md': `---\ntype: task\n${frontmatter}\n---\n`, 'b.md': '' });
  const entry = graph.get('projects/p/a.md');
  return entry === null ? null : readTask(entry, graph.links(entry.path), 'projects');
}

it('what a task waits for is an edge, and no property where it names nothing', () => {
  expect(readAs('depends_on: "[[b]]"')).toMatchObject({ edges: [{ type: 'depends_on', target: 'b.md' }], properties: {} });
  expect(readAs('depends_on: later')).toMatchObject({ edges: [], properties: {} });
  expect(readAs('depends_on: []')).toMatchObject({ edges: [], properties: {} });
});

it('keys that mean nothing to roux are properties of the task, those of Obsidian among them', () => {
  expect(readAs('cssclasses: [wide]\npriority: 2\nblocked: no money')).toMatchObject({
    blocked: 'no money',
    properties: { cssclasses: ['wide'], priority: 2 },
  });
  expect(['depends_on', 'relates_to'].every(isEdgeKey)).toBe(true);
  expect(['parent', 'blocked', 'tags'].some(isEdgeKey)).toBe(false);
});
