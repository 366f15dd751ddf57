import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { hasGit, mergeSides, openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { withVault } from '../../support/vault.ts';

const all = { flags: ['--toolsets', 'all'] };
/** What is kept in git: the notes, not what roux knows of this machine. */
const NOTES = ['--all', '--', ':!.roux'];

const task = (lines: readonly string[], body = ''): string => `---\nid: t_a\ntype: task\nsummary: A\n${lines.join('\n')}\n---\n${body}`;

const revOf = (text: string): number => Number(/^rev: (\d+)$/m.exec(text)?.[1]);

/** Every line of a side but those that only count, and that of the tags, which holds those of both afterwards. */
const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => !/^(?:rev|updated_at|tags):|^$/.test(line));

const doctor = async (vault: Pick<GitVault, 'root'>): Promise<readonly { readonly kind: string; readonly message: string }[]> =>
  (JSON.parse((await cli(['doctor', '--json', '--vault', vault.root])).stdout) as { findings: { kind: string; message: string }[] })
    .findings;

/** Works with the tools as an agent of its own, from a fresh server on. */
const as =
  (clientName: string, work: (session: McpSession) => Promise<unknown>) =>
  (vault: GitVault): Promise<void> =>
    withServer(vault, async (session) => void (await work(session)), { ...all, clientName });

describe.skipIf(!hasGit)('git merges of what tools wrote on two branches', () => {
  it('X-20 one task, entity and note changed on both: union without doubles, rev above both, no line lost', () =>
    withVault({ 'note.md': '---\ntags: [a, gone]\nrev: 1\n---\nText\n' }, async (files) => {
      let id = '';
      await withServer(
        files,
        async ({ ask }) => {
          await ask('graph_open', { project: 'shed', goal: 'A shed' });
          const { created } = await ask('graph_plan', { nodes: [{ ref: 'a', summary: 'Wall', context_links: ['base'] }] });
          id = created[0].id;
          await ask('create_entities', {
            entities: ['Ada', 'Tea'].map((name) => ({ name, entityType: 'thing', observations: [`base of ${name}`] })),
          });
        },
        all,
      );
      const vault = openGitVault(files, NOTES);
      const changed = ['projects/shed/wall.md', 'memory/thing/ada.md', 'note.md'];
      const sides: Record<string, readonly string[]> = {};
      const work = (who: string, tags: readonly string[]) =>
        as(who, async ({ ask }) => {
          const evidence = ['both', who].map((ref) => ({ type: 'commit', ref }));
          await ask('graph_update', {
            updates: [{ node_id: id, resolved: true, add_evidence: evidence, add_context_links: [who, 'both'] }],
          });
          await ask('graph_update', { updates: [{ node_id: id, add_evidence: [{ type: 'note', ref: `${who} again` }] }] });
          await ask('add_observations', { observations: [{ entityName: 'Ada', contents: ['seen by both', `seen by ${who}`] }] });
          await ask('create_relations', {
            relations: ['knows', `${who} says`].map((relationType) => ({ from: 'Ada', to: 'Tea', relationType })),
          });
          await ask('update_node', { id: 'note.md', tags });
          sides[who] = changed.map((path) => files.read(path));
        });
      const merged = await mergeSides(vault, { ours: work('ours', ['a', 'ours']), theirs: work('theirs', ['a', 'gone', 'theirs']) });
      expect(merged, merged.output).toMatchObject({ status: 0 });
      for (const [index, path] of changed.entries()) {
        const [text, ours = '', theirs = ''] = [vault.read(path), sides['ours']?.[index], sides['theirs']?.[index]];
        expect(revOf(text), path).toBeGreaterThan(Math.max(revOf(ours), revOf(theirs)));
        expect(text.split('\n'), path).toEqual(expect.arrayContaining([...linesOf(ours), ...linesOf(theirs)]));
      }
      await withServer(
        vault,
        async ({ ask }) => {
          const { node } = await ask('graph_context', { node_id: id });
          expect(node).toMatchObject({ resolved: true, context_links: ['base', 'ours', 'both', 'theirs'] });
          const refs = node.evidence.map(({ ref }: { ref: string }) => ref);
          expect(refs.toSorted()).toEqual(['both', 'both', 'ours', 'ours again', 'theirs', 'theirs again']);
          const { entities, relations } = await ask('open_nodes', { names: ['Ada', 'Tea'] });
          expect(entities[0].observations).toEqual(['base of Ada', 'seen by both', 'seen by ours', 'seen by theirs']);
          expect(relations.map(({ relationType }: { relationType: string }) => relationType).toSorted()).toEqual([
            'knows',
            'ours says',
            'theirs says',
          ]);
          expect((await ask('get_node', { id: 'note.md' })).tags.toSorted()).toEqual(['a', 'ours', 'theirs']);
        },
        all,
      );
      expect(vault.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    }));

  it('X-20 renamed by a tool on one side and changed on the other: one note with both, links and all', () =>
    withVault(
      { 'old.md': `---\ntags: [a]\n---\n${'A long text that stays.\n'.repeat(20)}`, 'links.md': 'See [[old]].\n' },
      async (files) => {
        const vault = openGitVault(files, NOTES);
        const merged = await mergeSides(vault, {
          ours: as('ours', ({ ask }) => ask('update_node', { id: 'old', title: 'new' })),
          theirs: as('theirs', ({ ask }) => ask('update_node', { id: 'old', tags: ['a', 'theirs'], properties: { k: 1 } })),
        });
        expect(merged, merged.output).toMatchObject({ status: 0 });
        expect(vault.files()).toEqual(['links.md', 'new.md']);
        expect(vault.read('new.md')).toContain('tags: [a, theirs]');
        expect(vault.read('new.md')).toContain('k: 1');
        expect(vault.read('links.md')).toContain('[[new]]');
        expect(await doctor(vault)).toEqual([]);
      },
    ));

  it.each([
    ['the base said neither', [], ['resolved: true', 'rev: 2'], ['resolved: false', 'rev: 3']],
    ['one side re-opened it', ['resolved: true'], ['resolved: false', 'state: anew'], ['resolved: true', 'priority: 3']],
    ['the other side re-opened it', ['resolved: true'], ['resolved: true', 'priority: 3'], ['resolved: false', 'state: anew']],
  ] as const)('X-20 resolved against not, where %s: exit 1, both in the file, a finding until it is settled', (_, base, ours, theirs) =>
    withVault(
      { 'projects/p/p.md': '---\ntype: project\nresolved: false\n---\n', 'projects/p/a.md': task(base, 'Text\n') },
      async (files) => {
        const vault = openGitVault(files, NOTES);
        const file = 'projects/p/a.md';
        const merged = await mergeSides(vault, {
          ours: () => vault.write(file, task(ours, 'Text\n')),
          theirs: () => vault.write(file, task(theirs, 'Text\n')),
        });
        expect(merged.status).toBe(1);
        expect(merged.output).toContain('one side says that it is resolved');
        const [mine, other] = [ours[0], theirs[0]];
        expect(vault.read(file)).toContain(`\n${mine}\n# ${other} on the other side of a merge; delete this line`);
        expect(linesOf(vault.read(file))).toEqual(
          expect.arrayContaining([...ours.slice(1), ...theirs.slice(1)].filter((line) => !line.startsWith('rev'))),
        );
        expect(vault.git('ls-files', '--unmerged')).toContain(file);
        const found = await doctor(vault);
        expect(found.map(({ kind }) => kind)).toEqual(['conflict-marker']);
        expect(found[0]?.message).toContain(`${file}: a merge left open whether it is resolved`);
        // The task is served meanwhile; who decides with a tool has settled it, and so has who deletes the line.
        const text = vault.read(file);
        await withServer(vault, async ({ ask }) => {
          const { node } = await ask('graph_context', { node_id: 't_a' });
          expect(node.resolved).toBe(mine === 'resolved: true');
          await ask('graph_update', { updates: [{ node_id: 't_a', state: 'untouched' }] });
          expect(await doctor(vault)).toHaveLength(1);
          await ask('graph_update', { updates: [{ node_id: 't_a', resolved: !node.resolved }] });
        });
        expect(vault.read(file)).not.toContain('#');
        expect(await doctor(vault)).toEqual([]);
        vault.write(file, text.replace(/^# .*\n/m, ''));
        expect(await doctor(vault)).toEqual([]);
        vault.commit('settled');
        expect(vault.git('status', '--porcelain', '--untracked-files=no')).toBe('');
      },
    ),
  );

  it('X-20 what one side finished and the other left open is finished, without a question', () =>
    withVault({ 'a.md': task(['resolved: false', 'rev: 1']) }, async (files) => {
      const vault = openGitVault(files, NOTES);
      const merged = await mergeSides(vault, {
        ours: () => vault.write('a.md', task(['resolved: false', 'rev: 2', 'tags: [a]'])),
        theirs: () => vault.write('a.md', task(['resolved: true', 'rev: 2'])),
      });
      expect(merged, merged.output).toMatchObject({ status: 0 });
      expect(vault.read('a.md')).toBe(task(['resolved: true', 'rev: 3', 'tags: [a]']));
    }));
});
