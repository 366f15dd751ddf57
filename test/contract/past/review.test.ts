import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../support/history.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Reviewed {
  readonly since: string | null;
  readonly notes: readonly {
    readonly path: string;
    readonly was?: string;
    readonly kind: string;
    readonly writes: readonly { readonly batch: string; readonly agent: string }[];
    readonly parts: readonly {
      readonly of: string;
      readonly by: readonly string[];
      readonly diff: string | null;
      readonly remark?: string;
    }[];
  }[];
  readonly links: readonly { readonly files: number; readonly batch: string }[];
}

async function review(vault: TestVault, ...flags: readonly string[]): Promise<Reviewed> {
  const { status, stdout, stderr } = await cli(['review', '--json', ...flags, '--vault', vault.root]);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Reviewed;
}

const as = <T>(vault: TestVault, clientName: string, run: (session: McpInside) => Promise<T>): Promise<T> =>
  withServer(vault, run, { clientName });
const kinds = ({ notes }: Reviewed): readonly (readonly [string, string])[] => notes.map(({ path, kind }) => [path, kind]);

describe('E-31 review', () => {
  it('shows one diff a note from before the first change of agents to after the last, with the batches to undo; creations, renames and deletions as such', () =>
    withVault(
      { 'a.md': 'First\n', 'gone.md': 'Gone\n', 'old.md': 'Old\n', 'link.md': 'See [[old]].\n', 'mine.md': 'Mine\n' },
      async (vault) => {
        await as(vault, 'claude', async ({ ask }) => {
          await ask('update_node', { id: 'a', append: 'Second\n' });
          await ask('update_node', { id: 'a', append: 'Third\n' });
          await ask('create_node', { title: 'New', content: 'New text\n' });
          await ask('delete_node', { id: 'gone' });
          await ask('update_node', { id: 'old', title: 'Renamed' });
          await ask('create_node', { title: 'Passing', content: 'x\n' });
          await ask('delete_node', { id: 'Passing' });
        });
        await cli(['append', 'mine', 'By the user', '--vault', vault.root]);
        const found = await review(vault);
        expect(kinds(found)).toEqual([
          ['a.md', 'changed'],
          ['gone.md', 'deleted'],
          ['new.md', 'created'],
          ['passing.md', 'passed'],
          ['renamed.md', 'renamed'],
        ]);
        const [a, gone, made, passed, renamed] = found.notes;
        expect(a?.parts).toHaveLength(1);
        expect(a?.writes.map(({ agent }) => agent)).toEqual(['claude', 'claude']);
        expect(a?.parts[0]?.diff).toContain(' First\n+Second\n+Third\n');
        expect(gone?.parts[0]?.diff).toContain('-Gone\n');
        expect(gone?.parts[0]?.diff).toContain('+++ /dev/null');
        expect(made?.parts[0]?.diff).toContain('--- /dev/null\n');
        expect(made?.parts[0]?.diff).toContain('+New text\n');
        expect(passed?.parts).toEqual([]);
        expect([renamed?.was, renamed?.parts[0]?.diff?.includes('rename from old.md\nrename to renamed.md\n')]).toEqual(['old.md', true]);
        expect(found.links).toMatchObject([{ files: 1, batch: renamed?.writes[0]?.batch }]);
        // For a person, on a terminal or not: every batch can be copied, and undoes what is shown.
        const { stdout } = await cli(['review', '--vault', vault.root]);
        for (const { batch } of a?.writes ?? []) expect(stdout).toContain(`roux undo ${batch}`);
        expect(stdout).toContain('passing.md  created and deleted again by claude\n');
        expect(stdout).toContain('links in 1 note rewritten by claude');
        for (const { batch } of a?.writes.toReversed() ?? []) await cli(['undo', batch, '--vault', vault.root]);
        expect(vault.read('a.md')).toContain('First\n');
        expect(vault.read('a.md')).not.toContain('Second');
      },
    ));

  it('a property that an agent sets from one link to another is shown; what a rename rewrote is not, in bodies, properties and by headings', () =>
    withVault(
      {
        'pay.md': '---\napproved_by: "[[Alice]]"\nsite: "[bank](https://bank.example)"\nlinks: [one]\n---\nbody\n',
        'see.md': '---\nof: "[[Alice|her]]"\nby: ["[[Alice#Log]]"]\n---\n[[Alice#Log]]\n',
        'Alice.md': '# Log\n',
        'Mallory.md': '',
      },
      async (vault) => {
        await as(vault, 'claude', async ({ ask }) => {
          await ask('update_node', { id: 'pay', properties: { approved_by: '[[Mallory]]' } });
          await ask('update_node', { id: 'pay', properties: { site: '[bank](https://evil.example)' } });
          await ask('update_node', { id: 'pay', properties: { links: ['two'] } });
        });
        const found = await review(vault);
        expect(kinds(found)).toEqual([['pay.md', 'changed']]);
        for (const text of ['-approved_by: "[[Alice]]"', '+approved_by: "[[Mallory]]"', 'evil', '+links:'])
          expect(found.notes[0]?.parts[0]?.diff).toContain(text);
        expect(found.links).toEqual([]);
        await cli(['review', '--accept', '--vault', vault.root]);
        await as(vault, 'claude', async ({ ask }) => {
          await ask('rename', { changes: [{ from: 'Alice', to: 'team/Alicia' }] });
          await ask('rename', { changes: [{ from: 'Alicia#Log', to: 'Diary' }] });
        });
        expect(vault.read('see.md')).toMatch(/\[\[Alicia\|her\]\][^]*\[\[Alicia#Diary\]\][^]*\[\[Alicia#Diary\]\]/);
        const after = await review(vault);
        expect(kinds(after)).toEqual([['team/Alicia.md', 'renamed']]);
        expect(after.links.map(({ files }) => files)).toEqual([1, 1]);
      },
    ));

  it('no client passes for a person or for an edit from outside, whatever it calls itself', async () => {
    for (const name of ['external', 'cli', 'roux', ' CLI ']) {
      await withVault({ 'a.md': 'x\n' }, async (vault) => {
        await as(vault, name, ({ ask }) => ask('update_node', { id: 'a', append: 'by a client' }));
        const { notes } = await review(vault);
        expect(notes.map(({ writes }) => writes.map(({ agent }) => agent))).toEqual([[`${name}-client`]]);
      });
    }
  });

  it('what a person changed in between, by an editor or by the command line, is in no diff of the agent; a note that only people changed is not shown', () =>
    withVault({ 'a.md': 'First\n', 'b.md': 'B\n', 'c.md': 'C\n' }, async (vault) => {
      await as(vault, 'claude', async ({ ask }) => {
        await ask('update_node', { id: 'a', append: 'Agent 1\n' });
        vault.write('a.md', `${vault.read('a.md')}Person\n`);
        vault.write('b.md', 'Person\n');
        await waitFor(async () => (await ask('get_node', { id: 'a' })).content.includes('Person'));
        await ask('update_node', { id: 'a', append: 'Agent 2\n' });
        await ask('update_node', { id: 'c', append: 'Agent 1\n' });
        await cli(['append', 'c', 'Person', '--vault', vault.root]);
        await ask('get_node', { id: 'c' });
        await ask('update_node', { id: 'c', append: 'Agent 2\n' });
      });
      // And once more, afterwards: that is nobody's to review.
      vault.write('a.md', `${vault.read('a.md')}Later\n`);
      const found = await review(vault);
      expect(kinds(found)).toEqual([
        ['a.md', 'changed'],
        ['c.md', 'changed'],
      ]);
      for (const { parts } of found.notes) {
        expect(parts.map(({ of }) => of)).toEqual(['agent', 'person', 'agent']);
        const [first, person, second] = parts.map(({ diff }) => diff ?? '');
        expect(first).toContain('+Agent 1\n');
        expect(first).not.toContain('Person');
        expect(person).toContain('+Person\n');
        expect(person).not.toContain('+Agent');
        expect(second).toContain('+Agent 2\n');
        expect(second).not.toContain('+Person');
        expect(JSON.stringify(parts)).not.toContain('Later');
      }
      expect(found.notes[1]?.parts[1]?.by).toEqual(['cli']);
      expect((await cli(['review', '--vault', vault.root])).stdout).toContain('Others changed it in between');
    }));

  it('--accept marks what was shown: the next review shows what came after, for all or for one agent, and nothing that was not shown is marked', () =>
    withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      await as(vault, 'claude', ({ ask }) => ask('update_node', { id: 'a', append: 'One\n' }));
      await as(vault, 'gemini', ({ ask }) => ask('update_node', { id: 'b', append: 'One\n' }));
      const files = vault.files();
      expect(kinds(await review(vault, '--by', 'claude', '--accept'))).toEqual([['a.md', 'changed']]);
      expect(kinds(await review(vault))).toEqual([['b.md', 'changed']]);
      // What is older than the time that is given was not seen.
      const { timestamp } = eventsOf(vault).at(-1) as unknown as { timestamp: string };
      const after = new Date(Date.parse(timestamp) + 1).toISOString();
      const refused = await cli(['review', '--since', after, '--accept', '--vault', vault.root]);
      expect([refused.status, refused.stderr.includes('1 earlier change was not accepted yet')]).toEqual([2, true]);
      expect(kinds(await review(vault, '--accept'))).toEqual([['b.md', 'changed']]);
      expect(await review(vault)).toMatchObject({ since: null, notes: [] });
      await as(vault, 'claude', ({ ask }) => ask('update_node', { id: 'a', append: 'Two\n' }));
      const [next] = (await review(vault)).notes;
      expect(next?.parts[0]?.diff).toContain('+Two\n');
      expect(next?.parts[0]?.diff).not.toContain('+One\n');
      // All of it is still there for whoever names a time.
      expect(kinds(await review(vault, '--since', '2020-01-01'))).toEqual([
        ['a.md', 'changed'],
        ['b.md', 'changed'],
      ]);
      expect((await cli(['review', '--since', 'lately', '--vault', vault.root])).status).toBe(2);
      expect(vault.files()).toEqual(files);
    }));

  it('texts that are not kept are told of, and what is in names and texts does nothing to a terminal', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      await as(vault, 'cla\u001b[31mude', async ({ ask }) => {
        await ask('update_node', { id: 'a', append: 'One\n' });
        await ask('create_node', { title: 'New', content: 'Text of then\n' });
        vault.write('new.md', 'Other\n');
        await waitFor(async () => (await ask('get_node', { id: 'new.md' })).content === 'Other\n');
      });
      for (const name of vault.list('.roux/history/batches')) vault.remove(`.roux/history/batches/${name}`);
      const found = await review(vault);
      expect(found.notes[0]?.parts[0]).toMatchObject({ diff: null });
      expect(found.notes[0]?.parts[0]?.remark).toContain('not kept any more');
      expect(found.notes[1]?.parts[0]?.diff).toContain('+Text of then\n');
      expect(found.notes[1]?.parts[0]?.remark).toContain('the body alone');
      const { stdout } = await cli(['review', '--vault', vault.root]);
      expect(stdout).not.toContain('\u001b');
      expect(stdout).toContain('\\x1b[31mude');
    }));
});
