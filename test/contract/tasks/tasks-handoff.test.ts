import { describe, expect, it } from 'vitest';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import { toTaskSession, withTasks } from './task-session.ts';

const FILE = 'projects/shed/paint-the-door.md';
const TOLD = {
  done: 'primed twice\n- sanded the frame',
  left: 'the handle side',
  decisions: 'oil paint, since the wall is damp [see](https://example.org)',
  pitfalls: '# is no heading here\n`ladder` wobbles',
  evidence: 'commit abc123',
};
const LISTS = {
  done: ['primed twice', 'sanded the frame'],
  left: ['the handle side'],
  decisions: ['oil paint, since the wall is damp [see](https://example.org)'],
  pitfalls: ['# is no heading here', '`ladder` wobbles'],
  evidence: ['commit abc123'],
};

describe('handing a task over', () => {
  it('T-04 writes plain Markdown into the note, ends the claim, and is shown by graph_onboard and graph_next until it is taken', () =>
    withTasks(async ({ ask, refuse, plan, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Paint the door' }]);
      vault.write(FILE, `${vault.read(FILE)}\nA note of a person.\n`);
      await ask('graph_next', { claim: true });
      expect(await ask('graph_handoff', { node_id: a, ...TOLD })).toMatchObject({ node_id: a, rev: expect.any(Number) });
      const text = vault.read(FILE);
      expect(text).toContain('A note of a person.\n\n## Handoff\n\n- **From:** ada, 20');
      expect(text).toContain(
        '\n- **Done:** primed twice\n- **Done:** sanded the frame\n- **Left:** the handle side\n- **Decided:** oil paint',
      );
      expect(text).not.toContain('_claimed_by');
      const handoff = { from: 'ada', at: expect.stringMatching(/^20.*Z$/), ...LISTS };
      expect((await ask('graph_next')).nodes[0].handoff).toEqual(handoff);
      const onboard = await ask('graph_onboard');
      expect(onboard.handoffs).toEqual([{ id: a, summary: 'Paint the door', ...handoff }]);
      expect(onboard.recommended_next.rationale).toContain('handed over by ada');
      expect((await ask('graph_context', { node_id: a })).node.evidence).toMatchObject([
        { type: 'note', ref: 'commit abc123', agent: 'ada' },
      ]);

      await withMcp(
        vault,
        async (bob) => {
          expect((await bob.ask('graph_next', { claim: true })).nodes[0].handoff).toEqual({
            ...handoff,
            taken_by: 'bob',
            taken_at: expect.stringMatching(/Z$/),
          });
          expect((await bob.ask('graph_next', { claim: true })).nodes[0].handoff).toBeUndefined();
          expect((await bob.ask('graph_context', { node_id: a })).handoff).toMatchObject({ ...LISTS, taken_by: 'bob' });
          expect(await bob.ask('graph_onboard')).not.toHaveProperty('handoffs');
          expect((await refuse('graph_handoff', { node_id: a, left: 'x' })).message).toContain('held by bob');
        },
        { clientName: 'bob' },
      );
      expect(vault.read(FILE)).toMatch(/\n- \*\*Taken:\*\* bob, 20\S+Z\n/);
    }));

  it('T-04 a second handoff takes the place of the first, and what a person wrote among its lines stays', () =>
    withTasks(async ({ ask, plan, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Paint the door' }]);
      await ask('graph_handoff', { node_id: a, left: 'all of it' });
      await ask('graph_next', { claim: true });
      vault.write(FILE, vault.read(FILE).replace('## Handoff\n\n', '## Handoff\n\nAsk Ida first.\n\n- **Left:** also the floor\n'));
      expect((await ask('graph_context', { node_id: a })).handoff.left).toEqual(['also the floor', 'all of it']);
      vault.write(FILE, vault.read(FILE).replace('- **Left:** also the floor\n', '- mind the cat\n'));
      await ask('graph_handoff', { node_id: a, done: 'one side' });
      const text = vault.read(FILE);
      expect(text.match(/\*\*From:\*\*/g)).toHaveLength(1);
      for (const kept of ['Ask Ida first.', '- mind the cat', '- **Done:** one side']) expect(text).toContain(kept);
      for (const gone of ['all of it', '**Taken:**']) expect(text).not.toContain(gone);
      const { handoff } = await ask('graph_context', { node_id: a });
      expect(handoff).toEqual({ from: 'ada', at: expect.any(String), done: ['one side'] });
    }));

  it('T-04 refuses nothing to tell, a resolved task and a task of somebody else, and writes nothing', () =>
    withTasks(async ({ ask, refuse, plan, resolve, vault }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'Paint the door' },
        { ref: 'b', summary: 'Sand' },
      ]);
      await resolve(b!);
      const before = vault.read(FILE);
      expect((await refuse('graph_handoff', { node_id: a })).code).toBe('validation_error');
      expect((await refuse('graph_handoff', { node_id: a, done: ' \n - ' })).code).toBe('validation_error');
      expect((await refuse('graph_handoff', { node_id: b, left: 'x' })).message).toContain('resolved');
      expect(vault.read(FILE)).toBe(before);
      expect((await ask('graph_next')).nodes[0]).not.toHaveProperty('handoff');
    }));

  it('T-04 a note whose body takes no line is handed out all the same, and its handoff is taken', () =>
    withTasks(async ({ ask, plan, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Paint the door' }]);
      await ask('graph_handoff', { node_id: a, left: 'all of it' });
      vault.write(FILE, vault.read(FILE).replace(/## Handoff[^]*$/, '```\nnever closed\n'));
      const [{ node, handoff }] = (await ask('graph_next', { claim: true })).nodes;
      expect(node.id).toBe(a);
      expect(handoff).toBeUndefined();
      expect(vault.read(FILE)).not.toContain('_handoff_by');
      expect(vault.read(FILE)).toContain('```\nnever closed\n');
      const { events } = await ask('graph_history', { node_id: a });
      expect(events[0]).toMatchObject({
        agent: 'ada',
        changes: expect.arrayContaining([expect.objectContaining({ field: 'handoff_taken' })]),
      });
    }));

  it('T-04 whoever hands its own task over is not told that it lost it', () =>
    withTasks(async ({ ask, call, plan }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Paint the door' }]);
      await ask('graph_next', { claim: true });
      expect((await call('graph_handoff', { node_id: a, left: 'all of it' })).texts.join('')).not.toContain('no longer yours');
    }));

  it('T-04 two processes race for handed-over tasks: each handoff is taken exactly once', () =>
    withVault({}, (vault) =>
      withMcp(
        vault,
        async (ada) => {
          await ada.ask('graph_open', { project: 'shed', goal: 'A shed' });
          const nodes = Array.from({ length: 8 }, (_, at) => ({ ref: `r${at}`, summary: `Task ${at}` }));
          const ids = Object.values(await toTaskSession(ada, vault).plan(nodes));
          for (const node_id of ids) await ada.ask('graph_handoff', { node_id, left: `the rest of ${node_id}` });
          const take = async (session: McpSession): Promise<readonly string[]> => {
            const taken: string[] = [];
            for (let more = true; more;) {
              const { nodes: got } = await session.ask('graph_next', { claim: true, count: 1, filter: { _claimed_by: null } });
              more = got.length > 0;
              for (const { handoff } of got) taken.push(...handoff.left);
            }
            return taken;
          };
          const all = await withMcp(vault, (bob) => withMcp(vault, (max) => Promise.all([take(bob), take(max)]), { clientName: 'max' }), {
            clientName: 'bob',
          });
          expect(all.flat().toSorted()).toEqual(ids.map((id) => `the rest of ${id}`).toSorted());
          for (const { path } of nodes.map((_, at) => ({ path: `projects/shed/task-${at}.md` })))
            expect(vault.read(path).match(/\*\*Taken:\*\*/g), path).toHaveLength(1);
        },
        { clientName: 'ada' },
      ),
    ));

  it('T-04 of two sections that a person or a merge left the latest handoff counts, is taken once, and the next one is written and shown', () =>
    withTasks(async ({ ask, plan, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Paint the door' }]);
      await ask('graph_handoff', { node_id: a, left: 'the newer half' });
      const text = vault.read(FILE);
      const old =
        '## Handoff\n\n- **From:** eve, 2020-01-01T00:00:00.000Z\n- **Left:** the older half\n- **Taken:** dan, 2020-01-02T00:00:00.000Z\n\n';
      vault.write(FILE, text.replace('## Handoff', `${old}## Handoff`));
      const shown = { from: 'ada', left: ['the newer half'] };
      const next = await ask('graph_next');
      expect(next.nodes[0].handoff).toMatchObject(shown);
      expect(next.nodes[0].handoff).not.toHaveProperty('taken_by');
      expect((await ask('graph_next', { claim: true })).nodes[0].handoff).toMatchObject({ ...shown, taken_by: 'ada' });
      expect((await ask('graph_context', { node_id: a })).handoff).toMatchObject({ ...shown, taken_by: 'ada' });
      expect((await ask('graph_next', { claim: true })).nodes[0].handoff).toBeUndefined();
      await ask('graph_handoff', { node_id: a, left: 'the last quarter' });
      expect((await ask('graph_onboard')).handoffs).toMatchObject([{ from: 'ada', left: ['the last quarter'] }]);
      expect((await ask('graph_next', { claim: true })).nodes[0].handoff).toMatchObject({ left: ['the last quarter'], taken_by: 'ada' });
      // What the person kept is still there.
      expect(vault.read(FILE)).toContain('the newer half');
    }));
});
