import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sample } from '../../support/effort.ts';
import { hasGit, openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { cli } from '../../support/program/cli.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { randomOf } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';

const NOTES = ['--all', '--', ':!.roux'];
/** All of them in a long run, four with `npm test`. */
const HISTORIES = 200;
const SUMMARIES = ['Paint the door', 'Buy paint', 'Sand it'];

/** What a side did, by task. */
interface Work {
  readonly refs: Map<string, string[]>;
  readonly resolved: Set<string>;
}

/** Works on the tasks of a branch as an agent does; every step is of a kind that both sides may do to one task. */
async function work({ ask, call }: McpSession, random: Random, who: string): Promise<Work> {
  const refs = new Map<string, string[]>();
  const resolved = new Set<string>();
  for (let step = 0; step < 8; step += 1) {
    const { nodes } = await ask('graph_query', { limit: 100, project: 'shed' });
    const open = (nodes as { id: string; resolved: boolean; parent?: string }[]).filter((node) => !node.resolved);
    const { id: node_id } = random.pick(open);
    const isRoot = open.find(({ id }) => id === node_id)?.parent === undefined;
    const update = (fields: object) => ask('graph_update', { updates: [{ node_id, ...fields }] });
    const kind = random.below(8);
    if (kind < 2) {
      const made = { ref: 'a', summary: random.pick(SUMMARIES), parent_ref: node_id, criteria: ['It works', `${who} likes it`] };
      const { created } = await ask('graph_plan', { nodes: [made] });
      refs.set(created[0].id, []);
    } else if (kind === 2) await update({ summary: `${random.pick(SUMMARIES)} of ${who}`, state: { of: who } });
    else if (kind === 3) {
      await update({ add_evidence: [{ type: 'note', ref: `${who} ${step}` }], properties: { priority: step, [who]: step } });
      refs.set(node_id, [...(refs.get(node_id) ?? []), `${who} ${step}`]);
    } else if (kind === 4) await ask('graph_next', { claim: true, project: 'shed' });
    else if (kind === 5) await call('graph_handoff', { node_id, left: `what ${who} left in step ${step}`, pitfalls: 'a trap' });
    else if (kind === 6) await update({ criteria: { [`new ${who} ${step}`]: null }, blocked: true, blocked_reason: `${who} waits` });
    else if (!isRoot) {
      await update({ resolved: true, add_evidence: [{ type: 'commit', ref: `${who} did ${step}` }] });
      resolved.add(node_id);
    }
  }
  return { refs, resolved };
}

/** Faults of a task note: whatever no tool would write. */
function findFaults(text: string): readonly string[] {
  const { data, body } = readNote(text);
  const properties = (data['properties'] ?? {}) as Record<string, unknown>;
  const evidence = ((data['evidence'] ?? []) as readonly { readonly ref: string; readonly timestamp: string }[]).map((each) =>
    JSON.stringify(each),
  );
  const pairs = [
    ['_claimed_by', '_claimed_at'],
    ['_handoff_by', '_handoff_at'],
  ] as const;
  const times = (heading: string): number => body.split(`\n## ${heading}\n`).length - 1;
  const handed = properties['_handoff_by'] !== undefined;
  return [
    ...(/^(?:<{7}|>{7})/m.test(text) ? ['a conflict'] : []),
    ...(typeof data['resolved'] === 'boolean' ? [] : ['resolved']),
    ...(Number.isInteger(data['rev']) && Number(data['rev']) > 0 ? [] : ['rev']),
    ...(typeof data['summary'] === 'string' && data['summary'] !== '' ? [] : ['summary']),
    ...pairs
      .filter(([one, other]) => (properties[one] === undefined) !== (properties[other] === undefined))
      .map(([one]) => `half of ${one}`),
    ...(new Set(evidence).size === evidence.length ? [] : ['evidence twice']),
    ...['Handoff', 'Acceptance criteria'].filter((heading) => times(heading) > 1).map((heading) => `${heading} twice`),
    ...(handed && times('Handoff') === 0 ? ['a handoff without its section'] : []),
    ...((body.match(/^- \*\*From:\*\*/gm) ?? []).length > 1 ? ['two handoffs in one'] : []),
  ];
}

function readNote(text: string): { readonly data: Record<string, unknown>; readonly body: string } {
  const [, yaml = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  return { data: parse(yaml) as Record<string, unknown>, body: `\n${body}` };
}

async function check(vault: GitVault, sides: readonly Work[]): Promise<void> {
  const notes = vault.files().filter((path) => path.startsWith('projects/'));
  for (const path of notes) expect(findFaults(vault.read(path)), path).toEqual([]);
  const ids = notes.map((path) => /^id: (\S+)$/m.exec(vault.read(path))?.[1]);
  expect(new Set(ids).size).toBe(ids.length);
  await withServer(vault, async ({ ask }) => {
    for (const project of ['shed', 'boat']) expect(await ask('graph_onboard', { project })).not.toHaveProperty('problems');
    for (const { refs, resolved } of sides) {
      for (const [node_id, texts] of refs) {
        const { node } = await ask('graph_context', { node_id, depth: 0 });
        expect(node.evidence.map(({ ref }: { ref: string }) => ref)).toEqual(expect.arrayContaining(texts));
      }
      for (const node_id of resolved) expect((await ask('graph_context', { node_id, depth: 0 })).node.resolved).toBe(true);
    }
  });
}

describe.skipIf(!hasGit)('task notes of two branches', () => {
  it('T-05 names of new tasks never collide in a repository, and are plain elsewhere', () =>
    withVault({}, async (files) => {
      const plan = () =>
        withServer(files, async ({ ask }) => {
          await ask('graph_open', { project: 'shed', goal: 'A shed' });
          await ask('graph_plan', { project: 'shed', nodes: [{ ref: 'a', summary: 'Paint the door' }] });
        });
      await plan();
      expect(files.exists('projects/shed/paint-the-door.md')).toBe(true);
      const vault = openGitVault(files, NOTES);
      await plan();
      expect(vault.files().filter((path) => /^projects\/shed\/paint-the-door-[0-9a-z]{5}\.md$/.test(path))).toHaveLength(1);
    }));

  it.each(
    sample(
      Array.from({ length: HISTORIES }, (_, at) => at),
      HISTORIES / 4,
    ),
  )(
    'T-05 random work on two branches merges with nothing to do by hand, and nothing of it is lost (%i)',
    (at) =>
      withVault({}, async (files) => {
        const random = randomOf(`task branches ${at}`);
        await withServer(files, async ({ ask }) => {
          await ask('graph_open', { project: 'shed', goal: 'A shed' });
          await ask('graph_plan', { project: 'shed', nodes: SUMMARIES.map((summary, index) => ({ ref: `${index}`, summary })) });
        });
        const vault = openGitVault(files, NOTES);
        await cli(['git', 'install', '--vault', vault.root]);
        vault.commit('attributes');
        for (const round of [1, 2]) {
          const side = async (who: string, branch: readonly string[]): Promise<Work> => {
            vault.git('checkout', '--quiet', ...branch);
            let done: Work = { refs: new Map(), resolved: new Set() };
            await withServer(
              vault,
              async (session) => {
                if (round === 1) await session.ask('graph_open', { project: 'boat', goal: `A boat of ${who}` });
                done = await work(session, random, `${who}${round}`);
              },
              { clientName: who },
            );
            vault.commit(who);
            return done;
          };
          const theirs = await side('bob', ['-b', `other-${round}`]);
          const ours = await side('ada', ['main']);
          const merged = vault.try('merge', '--no-edit', `other-${round}`);
          expect(merged, merged.output).toMatchObject({ status: 0 });
          await check(vault, [ours, theirs]);
        }
      }),
    60_000,
  );
});
