import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isLong } from '../../support/effort.ts';
import { hasGit, openGitVault } from '../../support/git.ts';
import { openMcp, signalAll, withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { waitFor } from '../../support/wait-for.ts';

const preload = fileURLToPath(new URL('../machine/killed-at-call.mjs', import.meta.url));
/** With `npm test` one in so many of the calls that give files their names. */
const EVERY = isLong ? 1 : 6;
const MAX_CALLS = 40;
const LEFT = 'the handle side';
const TAKEN = { left: [LEFT], taken_by: 'bob' };

type Handed = { readonly left?: readonly string[]; readonly taken_by?: string } | undefined;

/** A vault with a task that is free, which eve may have handed over. */
async function useTask(isHandedOver: boolean, use: (task: { readonly root: string; readonly id: string }) => Promise<void>): Promise<void> {
  await withVault({}, async (vault) => {
    let id = '';
    await withMcp(
      vault,
      async ({ ask }) => {
        await ask('graph_open', { project: 'shed' });
        [{ id }] = (await ask('graph_plan', { nodes: [{ ref: 'a', summary: 'Paint' }] })).created;
        if (isHandedOver) await ask('graph_handoff', { node_id: id, left: LEFT });
      },
      { clientName: 'eve' },
    );
    await use({ root: vault.root, id });
  });
}

/** Runs calls of ada, whose process is killed before so many calls of the last one; returns whether that was answered all the same. */
async function isAnswered(
  vault: TestVault,
  at: number,
  { before, last }: Record<'before' | 'last', (session: McpSession) => Promise<unknown>>,
): Promise<boolean> {
  const armed = vault.path('.armed');
  const session = await openMcp(vault, { clientName: 'ada', preload, env: { KILL_AT: String(at), ARMED_BY: armed }, flags: ['--alone'] });
  try {
    await before(session);
    vault.write('.armed', '');
    await last(session);
    return true;
  } catch {
    return false;
  } finally {
    // Nothing is released as at an orderly end.
    if (existsSync(`/proc/${session.pid}`)) signalAll(session.pid, 'SIGKILL');
    await session.close().catch(() => undefined);
    vault.remove('.armed');
  }
}

/** Whose call it is: another agent behind the connection, or the connection itself. */
type Caller = { readonly agent?: string };
const [BOB, CYD]: readonly [Caller, Caller] = [{}, { agent: 'cyd' }];

/** Returns what an agent is told with the task that it claims once it is free. */
async function claim({ ask }: McpSession, caller: Caller): Promise<Handed> {
  const next = async () => (await ask('graph_next', { ...caller, claim: true })).nodes as readonly { handoff?: Handed }[];
  const { handoff } = await waitFor(async () => (await next())[0]);
  return handoff;
}

/** Returns what bob is told with the task that he claims after the kill. Once he has given it up, neither cyd nor he is told it again. */
async function toldAfterKill(vault: TestVault, id: string, look: (session: McpSession) => Promise<void>): Promise<Handed> {
  let told: Handed;
  await withMcp(
    vault,
    async (session) => {
      told = await claim(session, BOB);
      await look(session);
      for (const [holder, next] of [
        [BOB, CYD],
        [CYD, BOB],
      ] as const) {
        await session.ask('graph_update', { ...holder, updates: [{ node_id: id, properties: { _claimed_by: null } }] });
        expect(await claim(session, next), `told again: ${next.agent ?? 'bob'}`).toBeUndefined();
      }
    },
    { clientName: 'bob' },
  );
  return told;
}

const open = useOnce<{ readonly root: string; readonly id: string }>((use) => useTask(false, use));
const handedOver = useOnce<{ readonly root: string; readonly id: string }>((use) => useTask(true, use));

describe.each([
  ['in notes', false],
  ['in the folder of git', true],
])('a kill in the middle of a hand-over, claims %s', (_, isGit) => {
  /** Kills a call before one after the other of its calls, each time in a copy of a vault. */
  const kill = async (root: string, run: (vault: TestVault, at: number) => Promise<boolean>): Promise<void> => {
    for (let at = 1, isWhole = false; !isWhole && at < MAX_CALLS; at += EVERY)
      await withVault(root, async (vault) => {
        if (isGit) openGitVault(vault, ['--all', '--', ':!.roux']);
        isWhole = await run(vault, at);
      });
  };

  it.skipIf(isGit && !hasGit)('T-04 while it is written: it is there and taken once, or it is not there and nothing is lost', async () => {
    const found = new Set<string>();
    const { root, id } = await open();
    await kill(root, async (vault, at) => {
      const isWhole = await isAnswered(vault, at, {
        before: ({ ask }) => ask('graph_next', { claim: true }),
        last: ({ ask }) => ask('graph_handoff', { node_id: id, left: LEFT }),
      });
      const told = await toldAfterKill(vault, id, async () => undefined);
      found.add(told === undefined ? 'absent' : 'there');
      expect(isWhole && told === undefined, 'answered and lost').toBe(false);
      expect(told ?? TAKEN, `killed at ${at}`).toMatchObject(TAKEN);
      return isWhole;
    });
    expect([...found].toSorted()).toEqual(['absent', 'there']);
  });

  it.skipIf(isGit && !hasGit)('T-04 while it is taken: it is taken by the killed one, or still open for the next', async () => {
    const found = new Set<string>();
    const { root, id } = await handedOver();
    await kill(root, async (vault, at) => {
      const isWhole = await isAnswered(vault, at, {
        before: ({ ask }) => ask('graph_next', {}),
        last: ({ ask }) => ask('graph_next', { claim: true }),
      });
      let handed: unknown;
      const told = await toldAfterKill(vault, id, async ({ ask }) => {
        handed = (await ask('graph_context', { node_id: id })).handoff;
      });
      const taker = told === undefined ? 'ada' : 'bob';
      found.add(taker);
      expect(told ?? TAKEN, `killed at ${at}`).toMatchObject(TAKEN);
      expect(isWhole && taker !== 'ada', 'answered and taken again').toBe(false);
      expect(handed, `killed at ${at}`).toMatchObject({ from: 'eve', left: [LEFT], taken_by: taker });
      return isWhole;
    });
    expect([...found].toSorted()).toEqual(['ada', 'bob']);
  });
});
