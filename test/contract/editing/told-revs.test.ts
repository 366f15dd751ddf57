import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import type { TestVault } from '../../support/vault.ts';
import { withVault } from '../../support/vault.ts';
import { withTasks } from '../tasks/task-session.ts';

const OWN = '---\nrev: 4\nupdated_at: 2020-01-01T00:00:00.000Z\nstatus: open\n---\nOne.\nTwo.\n';

/** Saves a file as a person with an editor does, who does not count `rev`. */
function edit(vault: TestVault, path: string, from: string, to: string): void {
  const text = vault.read(path);
  expect(text).toContain(from);
  vault.write(path, text.replace(from, to));
}

describe('A-20 a rev also means the text for which this session was told it', () => {
  it('A-20 a person’s edit of a note with a rev of its own is a CONFLICT, whichever answer told the rev', () =>
    withVault({ 'own.md': OWN }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { rev } = await ask('get_node', { id: 'own' });
        expect(rev).toBe(4);
        edit(vault, 'own.md', 'open', 'mine');
        const stale = { id: 'own', properties: { priority: 1 }, expected_rev: 4 };
        const { error } = await refuse('update_node', stale);
        expect(error).toMatchObject({ code: 'CONFLICT', details: { path: 'own.md', rev: 4 } });
        expect((await refuse('update_node', { id: 'own', title: 'Renamed', expected_rev: 4 })).error.code).toBe('CONFLICT');
        expect((await refuse('update_node', { id: 'own', content: 'All.\n', expected_rev: 4 })).error.code).toBe('CONFLICT');
        expect(vault.read('own.md')).toBe(OWN.replace('open', 'mine'));
        expect(await ask('get_node', { id: 'own' })).toMatchObject({ rev: 4, etag: error.details.etag });
        const written = await ask('update_node', stale);
        expect(written.rev).toBe(5);
        edit(vault, 'own.md', 'Two.', 'Two, by hand.');
        expect((await refuse('update_node', { id: 'own', append: 'Three.', expected_rev: 5 })).error.code).toBe('CONFLICT');
        expect(vault.read('own.md')).toContain('Two, by hand.\n');
      }),
    ));

  it('E-09 a CONFLICT of if_match or expected_rev shows what changed since the session read the note', () =>
    withVault({ 'own.md': OWN }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { etag, rev } = await ask('get_node', { id: 'own' });
        edit(vault, 'own.md', 'Two.', 'Two, by hand.');
        for (const condition of [{ if_match: etag }, { expected_rev: rev }]) {
          const { error } = await refuse('update_node', { id: 'own', append: 'Three.', ...condition });
          expect(error).toMatchObject({ code: 'CONFLICT', details: { path: 'own.md', rev: 4 } });
          expect(error.details.diff).toContain('-Two.\n+Two, by hand.\n');
        }
        vault.write('own.md', vault.read('own.md') + 'x'.repeat(5000));
        const { error } = await refuse('update_node', { id: 'own', append: 'Three.', if_match: etag });
        expect(error.details.diff.length).toBeLessThanOrEqual(1000);
      }),
    ));

  it('E-01 an edit of text that is not there names the nearest line', () =>
    withVault({ 'own.md': `${OWN}The quick brown fox jumps over the dog.\n${'y'.repeat(900)}\n` }, (vault) =>
      withServer(vault, async ({ refuse }) => {
        const first = { find: 'One.\nThe quick red fox jumps over the dog.', replace: 'x' };
        const { error } = await refuse('update_node', { id: 'own', edits: [first] });
        expect(error.message).toContain('Nearest line: "The quick brown fox jumps over the dog."');
        const long = await refuse('update_node', { id: 'own', edits: [{ find: `${'y'.repeat(450)}z`, replace: 'x' }] });
        expect(long.error.message.length).toBeLessThan(600);
        const nothing = await refuse('update_node', { id: 'own', edits: [{ find: 'Kangaroo', replace: 'x' }] });
        expect(nothing.error.message).not.toContain('Nearest');
      }),
    ));

  it('A-20 one that was told nothing compares the number alone, and one that has not read the body is still warned', () =>
    withVault({ 'own.md': OWN }, (vault) =>
      withServer(vault, async ({ ask }) => {
        edit(vault, 'own.md', 'Two.', 'Two, by hand.');
        expect(await ask('update_node', { id: 'own', append: 'Three.', expected_rev: 4 })).toMatchObject({ rev: 5 });
        const { _warnings } = await ask('update_node', { id: 'own', content: 'All.\n', expected_rev: 5 });
        expect(_warnings.join('\n')).toContain('without having been read in this session');
      }),
    ));
});

it('A-20 a session that was told nothing is refused where a person edited what roux wrote, until it has read it', () =>
  withVault({}, async (vault) => {
    await withServer(vault, ({ ask }) => ask('create_node', { title: 'made', content: 'One.\n' }));
    edit(vault, 'made.md', 'One.', 'One, by hand.');
    await withServer(vault, async ({ ask, refuse }) => {
      const before = vault.read('made.md');
      for (const change of [{ append: 'Two.' }, { content: 'All.\n' }, { add: { tags: ['t'] } }]) {
        const { error } = await refuse('update_node', { id: 'made', ...change, expected_rev: 1 });
        expect(error).toMatchObject({ code: 'CONFLICT', details: { rev: 1, etag: expect.any(String) as string } });
        expect(error.message).toContain('changed by hand, which its rev does not count; read it again');
      }
      expect(vault.read('made.md')).toBe(before);
      await ask('get_node', { id: 'made' });
      expect(await ask('update_node', { id: 'made', append: 'Two.', expected_rev: 1 })).toMatchObject({ rev: 2 });
      expect(vault.read('made.md')).toContain('One, by hand.');
    });
    // Nobody edited it since.
    await withServer(vault, async ({ ask }) => {
      expect(await ask('update_node', { id: 'made', append: 'Three.', expected_rev: 2 })).toMatchObject({ rev: 3 });
    });
  }));

describe('A-20 the rev of a task also means the text for which this session was told it', () => {
  it('A-20 a person’s edit of a task is a CONFLICT after graph_context, graph_next, graph_update and get_node', () =>
    withTasks(async ({ ask, plan, refuse, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Paint it' }]);
      const { path } = await ask('get_node', { id: a! });
      const tell = [
        async () => (await ask('graph_context', { node_id: a })).node.rev,
        async () => (await ask('graph_next', {})).nodes[0].node.rev,
        async () => (await ask('graph_next', { claim: true })).nodes[0].node.rev,
        async () => (await ask('graph_update', { updates: [{ node_id: a, state: 'begun' }] })).updated[0].rev,
        async () => (await ask('get_node', { id: a! })).rev,
      ];
      let last = 'Paint it';
      for (const [index, told] of tell.entries()) {
        const rev: number = await told();
        edit(vault, path, `summary: ${last}`, `summary: By hand ${index}`);
        last = `By hand ${index}`;
        const update = { updates: [{ node_id: a, summary: 'Stale', expected_rev: rev }] };
        const error = await refuse('graph_update', update);
        expect(error).toMatchObject({ code: 'CONFLICT', details: { path, rev } });
        expect(vault.read(path)).toContain(`summary: ${last}\n`);
        const now = await ask('get_node', { id: a! });
        expect(now).toMatchObject({ rev, etag: error.details.etag });
      }
      const { rev } = await ask('get_node', { id: a! });
      await ask('graph_update', { updates: [{ node_id: a, summary: 'Fresh', expected_rev: rev }] });
      expect(vault.read(path)).toContain('summary: Fresh\n');
    }));

  it('A-20 the session’s own changes of a task are none, by whatever tool, nor is what others are told', () =>
    withTasks(async ({ ask, plan, vault }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'Paint it' },
        { ref: 'b', summary: 'Dry it' },
      ]);
      let rev = 1;
      const update = async (node: string | undefined, change: object): Promise<number> =>
        (await ask('graph_update', { updates: [{ node_id: node, ...change }] })).updated[0].rev;
      rev = await update(a, { summary: 'Paint', expected_rev: rev });
      rev = await update(a, { state: 1, expected_rev: rev });
      await ask('graph_connect', { edges: [{ from: a, to: b, type: 'depends_on' }] });
      rev = await update(a, { state: 2, expected_rev: rev + 1 });
      const { path } = await ask('get_node', { id: a! });
      ({ rev } = await ask('update_node', { id: path, append: 'With care.', expected_rev: rev }));
      rev = await update(a, { state: 3, expected_rev: rev });
      await ask('update_node', { id: b!, title: 'Let it dry' });
      const { node } = await ask('graph_context', { node_id: a });
      rev = await update(a, { state: 4, expected_rev: node.rev });
      expect(vault.read(path)).toMatch(/^state: 4$/m);
      expect(rev).toBe(node.rev + 1);
      await ask('graph_update', { updates: [{ node_id: a, state: 5, expected_rev: rev }], dry_run: true });
      await update(a, { state: 5, expected_rev: rev });
    }));
});
