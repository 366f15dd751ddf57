import { RouxError } from '../../errors.ts';
import { foldKey } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { Ports } from '../../ports.ts';
import type { Done, Now, Prepared, TransactionMeta } from '../store.ts';
import { pathsOf } from '../transaction/intent.ts';
import type { Entered, HeldStore, Planned } from '../transaction/transact.ts';
import type { Edit } from '../pair-moves.ts';
import type { NotesInFiles } from './local/notes-in-files.ts';
import type { CommitHead, NewCommit, SharedChange, SharedCommit, SharedVault, Turn } from './shared-vault.ts';
import { eventsOfPlan, editsToChanges, planToChanges } from './local/outgoing.ts';
import type { Outgoing } from './local/outgoing.ts';
import type { WorkingCopy } from './working-copy.ts';

/** What a turn came to. */
export type Decided =
  | Extract<Done, { kind: 'repeated' }>
  | {
      readonly kind: 'decided';
      readonly planned: Planned;
      /** Of people's edits that were put before it. */
      readonly pushed: readonly CommitHead[];
      /** Null: nothing was to do. */
      readonly commit: SharedCommit | null;
      readonly seq: number;
    };

/** So many edits of one push are described by what changed in each. */
const MAX_DESCRIBED = 64;

/** What one machine says to the store, under the row of the vault. */
export interface Deciding {
  /** Everything for one write: the newest state, people's edits, the plan, and its commit. */
  decide(held: HeldStore, turn: Turn, asked: Asked): Promise<Decided>;
  /** Puts what people changed in the folder before whatever comes next in this turn. */
  appendEdits(held: HeldStore, turn: Turn, shared: SharedVault): Promise<readonly CommitHead[]>;
}

/** A write that somebody asks for. */
export interface Asked {
  readonly meta: TransactionMeta;
  readonly prepare: (now: Now) => Promise<Prepared>;
  readonly now: Entered;
  readonly shared: SharedVault;
}

/** How a machine decides. `tell`: what a person is to be told, once. */
export function openDeciding(options: {
  readonly copy: WorkingCopy;
  readonly ports: Ports;
  readonly machine: string;
  readonly notes: NotesInFiles | undefined;
  readonly mayPush: () => boolean;
  readonly tell: (message: string) => void;
}): Deciding {
  const { copy, ports, machine, notes, mayPush, tell } = options;
  const alone = (path: string): void =>
    tell(
      `${path} is kept on this machine alone: a file of the vault has the same name in other letters, or it is no name elsewhere. Rename it.`,
    );

  const commitOf = (
    { changes, blobs }: Outgoing,
    head: { readonly id: string; readonly at: string; readonly operation: string; readonly agent: string },
  ) => {
    const { id: batch, at, operation, agent } = head;
    return { batch, at, operation, agent, machine, changes, blobs };
  };

  /** What people edited, with what the history of each machine says of it. */
  async function commitOfEdits(edits: readonly Edit[], shared: SharedVault): Promise<NewCommit> {
    const outgoing = editsToChanges(edits);
    const head = { id: ports.newId(), at: isoNow(ports.clock), operation: 'edit', agent: 'external' };
    // So many at once are a checkout or a sync: of each it is told which file it is.
    if (notes === undefined || edits.length > MAX_DESCRIBED) return commitOf(outgoing, head);
    const contents = await copy.contentsBefore(shared, edits);
    const changes = outgoing.changes.map((change, index): SharedChange => {
      const edit = edits[index];
      if (edit === undefined) return change;
      const { path, former, before: hash, file } = edit;
      const bytes = hash === null ? undefined : contents.get(hash);
      const before = hash === null || bytes === undefined ? null : { hash, bytes };
      return { ...change, event: notes.describe({ path, former, before, after: file }) };
    });
    return commitOf({ ...outgoing, changes }, head);
  }

  /** Puts what people changed in the folder before whatever comes next in this turn. */
  async function appendEdits(held: HeldStore, turn: Turn, shared: SharedVault): Promise<readonly CommitHead[]> {
    if (!mayPush() || !copy.edits.isDirty) return [];
    let edits = withoutTwins(await copy.findEdits(held, shared), alone);
    while (edits.length > 0) {
      const commit = await commitOfEdits(edits, shared);
      await copy.willPush(shared, commit.batch);
      try {
        await turn.append(commit);
        return [commit];
      } catch (error) {
        const isName = error instanceof RouxError && ['NODE_EXISTS', 'INVALID_ENCODING'].includes(error.code);
        const refused = isName ? error.details?.['path'] : undefined;
        if (typeof refused !== 'string' || !edits.some(({ path }) => path === refused)) throw error;
        // Everything else is not held up by it.
        alone(refused);
        edits = edits.filter(({ path }) => path !== refused);
      }
    }
    return [];
  }

  /** What a person saved after their edits were looked for, and a plan was made on. */
  async function appendMissed(
    turn: Turn,
    { planned, pushed, shared }: { readonly planned: Planned; readonly pushed: readonly CommitHead[]; readonly shared: SharedVault },
  ): Promise<readonly CommitHead[]> {
    const changes = pushed.flatMap((commit) => commit.changes);
    const now = new Map(
      changes.flatMap(({ path, oldPath, hash }) => [...(oldPath === null ? [] : [[oldPath, null] as const]), [path, hash] as const]),
    );
    const stored = (path: string): string | null => now.get(path) ?? (now.has(path) ? null : (copy.edits.base.get(path) ?? null));
    const missed = planned.prepared.changes.flatMap((change) => {
      if (change.kind === 'create' || change.of.hash === stored(change.of.path)) return [];
      const before = stored(change.of.path);
      return [{ path: change.of.path, former: before === null ? null : change.of.path, before, file: change.of }];
    });
    if (missed.length === 0) return [];
    const commit = await commitOfEdits(missed, shared);
    await copy.willPush(shared, commit.batch);
    await turn.append(commit);
    return [commit];
  }

  /** What others made of it is not in this folder: a plan on what stands here instead would undo that. */
  function mustBeInPlace(path: string): void {
    if (!copy.leftOut.isBlocked(path)) return;
    const message = `${path} cannot be written on this machine now: what the store has under this name could not be put into its folder (${copy.leftOut.reasonFor(path)}). Mend that; it is tried again by itself.`;
    throw new RouxError('CONFLICT', message, { path });
  }

  /** Everything under the vault's row: the newest state, people's edits, the plan, and its commit. */
  async function decide(held: HeldStore, turn: Turn, asked: Asked): Promise<Decided> {
    const { meta, prepare, shared } = asked;
    const now = withNews(asked.now, await copy.pull(held, asked.now, turn, shared));
    const edits = await appendEdits(held, turn, shared);
    const { idempotencyKey: key, payloadHash = '' } = meta;
    const first = key === undefined ? null : await turn.findKey(key);
    if (first !== null && first.payloadHash !== payloadHash) {
      const message = `The idempotency key ${JSON.stringify(key)} was used for another request; use a new key.`;
      throw new RouxError('IDEMPOTENCY_MISMATCH', message, { idempotency_key: key });
    }
    if (first !== null) {
      // What was edited meanwhile is found again.
      return { kind: 'repeated', answer: first.answer };
    }
    const planned = await held.plan(meta, now, prepare);
    if (planned.kind === 'repeated') return planned;
    for (const { step } of planned.steps) for (const path of pathsOf(step)) mustBeInPlace(path);
    if (planned.steps.length === 0) return { kind: 'decided', planned, pushed: edits, commit: null, seq: turn.seq };
    const pushed = [...edits, ...(await appendMissed(turn, { planned, pushed: edits, shared }))];
    const { id, at } = planned;
    const head = { id, at, operation: meta.operation, agent: meta.agent };
    const commit = commitOf(planToChanges(planned), head);
    const answer = (): unknown => planned.prepared.answer?.({ batch: id, events: eventsOfPlan(planned, now.seq + 1) }) ?? null;
    const seq = await turn.append({ ...commit, ...(key === undefined ? {} : { key: { key, payloadHash, answer: answer() } }) });
    return { kind: 'decided', planned, pushed, commit: { ...commit, seq }, seq };
  }

  return { decide, appendEdits };
}

/** Of new files whose names differ by case or Unicode form alone, the first. */
function withoutTwins(edits: readonly Edit[], onTwin: (path: string) => void): readonly Edit[] {
  const names = new Set<string>();
  return edits.filter(({ path, file }) => {
    if (file === null || !names.has(foldKey(path))) {
      if (file !== null) names.add(foldKey(path));
      return true;
    }
    onTwin(path);
    return false;
  });
}

/** The state from which a plan is made, with what was brought in since. */
export function withNews(now: Entered, paths: readonly string[]): Entered {
  return { ...now, externalChanges: now.externalChanges === null ? null : [...now.externalChanges, ...paths] };
}
