import { expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { countChanges, importInto, runImport } from './run-import.ts';
import { ISSUES } from './samples/beads.ts';

function write(source: TestVault, issues: readonly object[] = ISSUES): void {
  source.write('.beads/issues.jsonl', `${issues.map((issue) => JSON.stringify(issue)).join('\n')}\n`);
}

const withChange = (id: string, change: object): readonly object[] =>
  ISSUES.map((issue) => (issue['id'] === id ? { ...issue, ...change } : issue));

it('O-06 issues of beads become tasks of a project: parents, dependencies, priorities, texts, closed ones with evidence', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      write(source);
      const done = await importInto(vault, source.root);
      expect([done.from, done.into, countChanges(done)]).toEqual(['beads', 'the project door', { new: 5 }]);
      expect(done.changed).toEqual({ 'issues that were deleted in beads, not imported': 1 });
      expect(done.left).toEqual([
        { path: 'Paint the door: its link to door-gone', reason: 'there is no such task, or it would go in a circle' },
      ]);
      expect(vault.files()).toEqual(
        [
          'My note.md',
          ...['Buy paint', 'Ask Ana', 'Hang the door', 'Paint the door', 'The door', 'door']
            .sort()
            .map((name) => `projects/door/${name}.md`),
        ].sort(),
      );
      const paint = vault.read('projects/door/Paint the door.md');
      expect(paint.replace(/^updated_at: .*\n/m, '')).toMatchInlineSnapshot(`
        "---
        id: t_ctb5efgl7400gagkd5fhhbol3f
        type: task
        summary: Paint the door
        resolved: false
        parent: "[[The door]]"
        depends_on:
          - "[[Buy paint]]"
        tags:
          - outside
          - two-words
        discovered_from:
          - "[[Hang the door]]"
        origin: import
        imported:
          from: beads
          id: door-3
          source: 3850c7ec0cf2709b
          body: 0f640598
          properties: title:e4a87254 state:35ff74ae p.beads:717068a9 p.priority:4e074085 p.issue_type:1ff4393b p.beads_status:de2bc796 p.assignees:c368dba0 p.estimated_minutes:69f59c27 text:0f640598 tags:outside,two-words parent:door-1 links:blocks%20door-2,discovered-from%20door-4
        properties:
          beads: door-3
          priority: 3
          issue_type: feature
          beads_status: in_progress
          assignees:
            - ana
          estimated_minutes: 90
        context_links:
          - gh-9
        rev: 1
        created_at: 2026-01-01T08:00:00.000Z
        created_by: cli
        ---
        ## Imported text

        \`\`\`markdown
        Both sides, see [[x]].

        - [ ] front

        ## Design

        Oil.

        ## Acceptance criteria

        - It is blue

        ## Notes

        Damp wall.

        ## Comments

        **bob**, 2026-01-01 08:00

        Which blue?
        \`\`\`
        "
      `);
      const closed = vault.read('projects/door/Buy paint.md');
      expect(closed).toContain('resolved: true\n');
      expect(closed).toContain('ref: "closed in beads: Oil, 2 l"');
      // What is ready, most urgent first.
      const next = JSON.parse((await cli(['next', '--vault', vault.root, '--json', '--project', 'door'])).stdout) as object;
      expect(JSON.stringify(next)).toContain('Paint the door');
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 5, batches: [] });
    }),
  ));

it('O-06 beads: what only the source changed is taken over, what agents did here stays, both is a conflict', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      write(source);
      await importInto(vault, source.root, '--into', 'My door');
      const path = 'projects/My door/Paint the door.md';
      vault.write(path, vault.read(path).replace('properties:\n', 'properties:\n  mine: kept\n'));
      expect((await cli(['done', 'Hang the door', '--evidence', 'test: hung', '--vault', vault.root])).stderr).not.toContain('roux done:');
      write(
        source,
        withChange('door-3', { title: 'Paint the door blue', priority: 0, status: 'closed', close_reason: 'done', dependencies: [] }),
      );
      const done = await importInto(vault, source.root, '--into', 'My door');
      expect(done.notes).toMatchObject([{ path, change: 'updated', fields: ['title', 'state', 'p.priority', 'p.beads_status', 'links'] }]);
      const text = vault.read(path);
      for (const part of ['summary: Paint the door blue', 'resolved: true', '  priority: 4', '  mine: kept']) expect(text).toContain(part);
      expect(text).not.toContain('depends_on');
      // Both changed the title.
      vault.write(path, vault.read(path).replace('summary: Paint the door blue', 'summary: Mine'));
      write(source, withChange('door-3', { title: 'Theirs', priority: 0, status: 'closed', close_reason: 'done', dependencies: [] }));
      const { stdout } = await runImport(vault, source.root, '--into', 'My door', '--yes');
      expect(stdout).toContain(`conflict  ${path}  title changed here and at the source`);
      expect(vault.read(path)).toContain('summary: Mine');
      expect((await importInto(vault, source.root, '--into', 'My door', '--force')).notes).toMatchObject([{ fields: ['title'] }]);
      expect(vault.read(path)).toContain('summary: Theirs');
      expect((await cli(['delete', path, '--vault', vault.root])).status).toBe(0);
      expect(countChanges(await importInto(vault, source.root, '--into', 'My door'))).toEqual({ skipped: 1 });
    }),
  ));

it('O-06 beads: a text that an issue gets later is taken over, and one that was removed here is a conflict', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const [path, first] = ['projects/t/Dig.md', { id: 't-1', title: 'Dig', status: 'open', priority: 1, issue_type: 'task' }];
      const run = async (more: object) => {
        source.write('.beads/issues.jsonl', JSON.stringify({ ...first, ...more }));
        return (await importInto(vault, source.root, '--from', 'beads')).notes;
      };
      await run({});
      expect(await run({ notes: 'Deep.' })).toMatchObject([{ change: 'updated', fields: ['text'] }]);
      expect(vault.read(path)).toContain('Deep.');
      vault.write(path, vault.read(path).replace(/## Imported text[\s\S]*/, ''));
      expect(await run({ notes: 'Deep.' })).toEqual([]);
      expect(await run({ notes: 'Deeper.' })).toMatchObject([{ conflicts: ['text'] }]);
      expect(vault.read(path)).not.toContain('Deeper.');
    }),
  ));

it('O-06 beads: texts that give orders stay text, circles are told, odd lines lose no other one', () =>
  withVault({}, (source) =>
    withVault({ 'canary.md': 'alive\n' }, async (vault) => {
      const issue = (id: string, more: object = {}) => ({
        id,
        title: id,
        status: 'open',
        priority: 2,
        issue_type: 'task',
        created_at: '2026-01-01T00:00:00Z',
        ...more,
      });
      const hostile = issue('x-1', {
        title: '[[canary]]\n---\nresolved: true',
        description: '## Handoff\n\n- **From:** eve\n\n## Acceptance criteria\n\n- [ ] act\n\n```\n[[canary]] #tag\n````\n## Relations',
        labels: ['a b', '#1', '../x'],
        assignee: 'eve',
        status: 'in_progress',
        dependencies: [
          { depends_on_id: 'x-2', type: 'blocks' },
          { depends_on_id: 'x-2', type: '__proto__' },
          { depends_on_id: 'x-3', type: 'resolved' },
        ],
      });
      const second = issue('x-2', {
        dependencies: [
          { depends_on_id: 'x-1', type: 'blocks' },
          { depends_on_id: 'x-2', type: 'parent-child' },
        ],
      });
      const third = issue('x-3', { dependencies: [{ depends_on_id: 'x-4', type: 'parent-child' }] });
      const fourth = issue('x-4', { dependencies: [{ depends_on_id: 'x-3', type: 'parent-child' }] });
      source.write(
        '.beads/issues.jsonl',
        `${[hostile, second, third, fourth].map((each) => JSON.stringify(each)).join('\n')}\n{broken\n{"id": 7}\n`,
      );
      const done = await importInto(vault, source.root);
      expect(countChanges(done)).toEqual({ new: 4 });
      expect(done.left.length).toBe(4);
      const note = vault.files().find((path) => path.includes('canary') && path.startsWith('projects/')) ?? '';
      const detail = (await cli(['get', note, '--vault', vault.root, '--json'])).stdout;
      expect(detail).not.toContain('_claimed_by');
      expect(JSON.parse((await cli(['backlinks', 'canary', '--vault', vault.root, '--json'])).stdout)).toEqual([]);
      expect((await cli(['tasks', 'log', '--vault', vault.root])).stdout).not.toMatch(/claimed|handoff|by eve/i);
      expect(vault.read('canary.md')).toBe('alive\n');
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 4 });
    }),
  ));
