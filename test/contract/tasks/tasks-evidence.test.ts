import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import type { TestVault } from '../../support/vault.ts';
import { withTasks } from './task-session.ts';

interface Entry {
  readonly type: string;
  readonly ref: string;
}

const batchOf = (from: number, count: number, type = 'commit'): Entry[] =>
  Array.from({ length: count }, (_, n) => ({ type, ref: `commit ${from + n}: "quoted" [[link]] \`code\`\n# and more` }));

/** The refs of the evidence in notes beside tasks, as it stands there. */
const inNotes = (vault: TestVault, notes = evidenceNotes(vault)): readonly string[] =>
  notes.flatMap((file) =>
    vault
      .read(file)
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((line) => (JSON.parse(decode(line)) as Entry).ref),
  );

function decode(line: string): string {
  const code = line.slice(2).replace(/^(`+) ?(.*?) ?\1$/, '$2');
  return code.startsWith('"') ? (JSON.parse(code) as string) : code;
}

const evidenceNotes = (vault: TestVault): readonly string[] => vault.files().filter((file) => / evidence|-evidence/.test(file));
const lastBatch = (vault: TestVault): string => vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? '';

describe('item 25: evidence that outgrows the frontmatter', () => {
  it(
    'goes into notes beside the task, nothing lost, and the answers stay bounded',
    () =>
      withTasks(
        async ({ vault, ask, plan, refuse }) => {
          const { a = '' } = await plan([{ ref: 'a', summary: 'Task a' }]);
          const all: string[] = [];
          for (let from = 0; from < 5000; from += 250) {
            const batch = batchOf(from, 250, from === 0 ? 'first' : 'commit');
            all.push(...batch.map(({ ref }) => ref));
            // In one update, and in several of one call.
            const parts = [batch.slice(0, 100), batch.slice(100)];
            await ask('graph_update', { updates: parts.map((add_evidence) => ({ node_id: a, add_evidence })) });
            expect(vault.read('projects/shed/task-a.md').length).toBeLessThan(40_000);
          }
          const context = await ask('graph_context', { node_id: a });
          const kept = context.node.evidence.map(({ ref }: Entry) => ref);
          expect([...inNotes(vault, context.older_evidence.notes), ...kept]).toEqual(all);
          expect(kept.length).toBeGreaterThan(30);
          expect(JSON.stringify(context).length).toBeLessThan(40_000);
          expect(context.older_evidence).toEqual({ count: 5000 - kept.length, notes: context.older_evidence.notes });
          expect(context.older_evidence.notes.toSorted()).toEqual(evidenceNotes(vault));
          const [note = ''] = evidenceNotes(vault);
          expect(vault.read(note)).toMatch(/^---\ntype: task-evidence\ntask: "\[\[task-a\]\]"\nevidence_types:\n/);
          expect(vault.read('projects/shed/task-a.md')).toContain('evidence_notes:\n  - "[[task-a-evidence]]"');
          // It is no task and no property, and not to be changed by other tools.
          expect((await ask('graph_query', {})).total).toBe(2);
          expect(context.node.properties).toEqual({});
          expect((await refuse('update_node', { id: a, properties: { evidence_notes: 'x' } })).message).toContain('graph_update');
          // Evidence of a type that is only in a note is found.
          expect((await ask('graph_query', { filter: { has_evidence_type: 'first' } })).total).toBe(1);
          expect((await ask('graph_query', { filter: { has_evidence_type: 'none' } })).total).toBe(0);
          const { recent_evidence } = await ask('graph_onboard', { evidence_limit: 50, detail: 'full' });
          expect(recent_evidence.length).toBeGreaterThan(20);
          expect(vault.list('.roux/journal').filter((name) => name.endsWith('.json'))).toEqual([]);
        },
        { config: { tasks: { requireEvidence: true } } },
      ),
    60_000,
  );

  it('counts as evidence where it is all in a note, survives merges, and is taken back by undo', () =>
    withTasks(
      async ({ vault, ask, plan, refuse }) => {
        const { a = '', b = '' } = await plan(['a', 'b'].map((ref) => ({ ref, summary: `Task ${ref}` })));
        const huge = { type: 'log', ref: 'x'.repeat(200_000) };
        const before = vault.read('projects/shed/task-a.md');
        await ask('graph_update', { updates: [{ node_id: a, add_evidence: [huge] }] });
        expect(vault.read('projects/shed/task-a.md').length).toBeLessThan(1000);
        expect((await ask('graph_context', { node_id: a })).older_evidence).toEqual({
          count: 1,
          notes: ['projects/shed/task-a-evidence.md'],
        });
        expect((await cli(['undo', lastBatch(vault), '--vault', vault.root])).status).toBe(0);
        expect(evidenceNotes(vault)).toEqual([]);
        expect(vault.read('projects/shed/task-a.md').replace(/^(rev|updated_at): .*\n/gm, '')).toBe(
          before.replace(/^(rev|updated_at): .*\n/gm, ''),
        );
        await ask('graph_update', { updates: [{ node_id: a, add_evidence: [huge] }] });
        await ask('graph_update', { updates: [{ node_id: a, resolved: true }] });
        expect((await refuse('graph_restructure', { operations: [{ op: 'delete', node_id: 'shed' }] })).code).toBe('delete_protected');
        const many = batchOf(0, 120);
        await ask('graph_update', { updates: [{ node_id: b, add_evidence: many }] });
        await ask('graph_restructure', { operations: [{ op: 'merge', source: a, target: b }] });
        const context = await ask('graph_context', { node_id: b });
        expect(context.older_evidence.notes).toContain('projects/shed/task-a-evidence.md');
        expect(vault.read('projects/shed/task-a-evidence.md')).toContain('task: "[[task-b]]"');
        const refs = [...inNotes(vault), ...context.node.evidence.map(({ ref }: Entry) => ref)];
        expect(refs.filter((ref) => ref.startsWith('commit')).length).toBe(many.length);
        expect(refs).toEqual(expect.arrayContaining(many.map(({ ref }) => ref)));
        expect(refs).toContain(huge.ref);
        // A task that goes takes its notes along, and brings them back.
        await ask('graph_restructure', { operations: [{ op: 'delete', node_id: b }] });
        expect(evidenceNotes(vault)).toEqual([]);
        expect((await cli(['undo', lastBatch(vault), '--vault', vault.root])).status).toBe(0);
        expect((await ask('graph_context', { node_id: b })).older_evidence).toEqual(context.older_evidence);
      },
      { config: { tasks: { requireEvidence: true } } },
    ));

  it('has room where other properties take much, and equal entries are each kept', () =>
    withTasks(async ({ vault, ask, plan }) => {
      const { a = '' } = await plan([{ ref: 'a', summary: 'Task a', properties: { big: 'y'.repeat(45_000) } }]);
      const same = Array.from({ length: 200 }, () => ({ type: 'note', ref: 'the same again' }));
      await ask('graph_update', { updates: [{ node_id: a, add_evidence: same }] });
      await ask('graph_update', { updates: [{ node_id: a, add_evidence: same }] });
      const context = await ask('graph_context', { node_id: a });
      expect(context.older_evidence.count + context.node.evidence.length).toBe(400);
      expect(context.node.rev).toBe(3);
      expect(inNotes(vault)).toHaveLength(context.older_evidence.count);
      expect(vault.read('projects/shed/task-a.md')).toContain('y'.repeat(45_000));
    }));

  it('much of it in one call goes into notes that can be read in full, and none of them is deleted by itself', () =>
    withTasks(
      async ({ ask, call, plan }) => {
        const { a = '' } = await plan([{ ref: 'a', summary: 'Task a' }]);
        await ask('graph_update', { updates: [{ node_id: a, add_evidence: batchOf(0, 2500) }] });
        const { older_evidence: older, node } = await ask('graph_context', { node_id: a });
        expect(older.count + node.evidence.length).toBe(2500);
        expect(older.notes.length).toBeGreaterThan(1);
        expect((await ask('vault_health', {})).counts).not.toHaveProperty('frontmatter');
        for (const id of older.notes) {
          const { isError, value } = await call('delete_node', { id });
          expect([isError, value.error.code], id).toEqual([true, 'delete_protected']);
        }
        expect((await ask('graph_context', { node_id: a })).older_evidence).toEqual(older);
      },
      { flags: ['--toolsets', 'all'] },
    ));
});
