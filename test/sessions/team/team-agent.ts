import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import { PROJECT } from './places.ts';
import type { Place } from './places.ts';
import { TeamSession } from './team-session.ts';
import type { TeamOutcome } from './team-session.ts';
import type { TeamLedger, TeamTask } from './team-ledger.ts';

/** Refusals that are right at times: somebody else was faster, or a stopped process holds what the call needs. */
const FAIR: ReadonlySet<string> = new Set(['CONFLICT', 'LOCK_TIMEOUT', 'UNKNOWN_OUTCOME']);

/** As many tasks are open at a place before nobody plans more. */
const MIN_OPEN = 8;

export interface AgentOptions {
  readonly name: string;
  readonly place: Place;
  readonly over: 'stdio' | 'http';
  readonly ledger: TeamLedger;
  readonly random: Random;
  /** The longest pause between two calls. */
  readonly pauseMs: number;
  readonly isOver: () => boolean;
}

interface NextNode {
  readonly node: { readonly id: string; readonly properties: Record<string, unknown> };
  readonly handoff?: { readonly left?: readonly string[] };
}

/** What an answer tells of tasks that are no longer the caller's, by their ids. */
function lostIn(told: string): ReadonlyMap<string, string> {
  return new Map([...told.matchAll(/\((t_\w+)\) is no longer yours: ([^.]*)/g)].map(([, id = '', how = '']) => [id, how]));
}

/** An agent that claims, resolves, hands over, takes over and plans tasks, in one session after the other. */
export class TeamAgent {
  readonly #options: AgentOptions;
  session: TeamSession | null = null;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  get place(): Place {
    return this.#options.place;
  }

  async work(): Promise<void> {
    const { isOver, random, pauseMs, name, place, over } = this.#options;
    while (!isOver()) {
      if (this.session?.isAlive !== true) {
        this.session = await this.#open(name, place, over);
        continue;
      }
      await this.#step(this.session);
      await setTimeout(random.below(pauseMs));
    }
    if (this.session?.isAlive === true) await this.session.end('close', 0);
  }

  async #open(name: string, place: Place, over: 'stdio' | 'http'): Promise<TeamSession | null> {
    try {
      return await TeamSession.open(name, place, over);
    } catch (error) {
      // A server that is killed while somebody connects to it.
      if (over !== 'http') throw error;
      await setTimeout(200);
      return null;
    }
  }

  async #step(session: TeamSession): Promise<void> {
    const { ledger, random } = this.#options;
    const [held] = ledger.heldBy(session).filter(({ hold }) => hold?.isEnding === false);
    const kind = random.below(20);
    if (held !== undefined && kind < 9) return this.#resolve(session, held);
    if (held !== undefined && kind < 11) return this.#handOver(session, held);
    if (held !== undefined && kind < 12) return this.#giveUp(session, held);
    if (kind === 12) return this.#takeOver(session);
    if (kind === 13 || kind === 14) return this.#look(session);
    if (kind === 15 || ledger.openOf(session.place.site).length < MIN_OPEN) return this.#plan(session);
    if (ledger.heldBy(session).length < 3) return this.#next(session, {});
  }

  /** Calls a tool; null if its answer is not known or a refusal that is right. `isFair`: of codes that are right for this call alone. */
  async #call(
    session: TeamSession,
    tool: string,
    args: Record<string, unknown>,
    isFair: (code: string) => boolean = () => false,
  ): Promise<(TeamOutcome & { kind: 'answered' }) | null> {
    const { ledger } = this.#options;
    const outcome = await session.call(tool, args);
    ledger.count(outcome.kind === 'refused' ? `${tool} ${outcome.code}` : outcome.kind === 'unknown' ? `${tool} unknown` : tool);
    if (outcome.kind === 'answered') {
      this.#hear(session, outcome);
      return outcome;
    }
    // One that is asked to end refuses what it has not begun.
    if (outcome.kind === 'refused' && session.isAlive && !FAIR.has(outcome.code) && !isFair(outcome.code))
      ledger.fault(`${session.name()}: ${tool}: ${outcome.message.slice(0, 1_000)}`);
    return null;
  }

  /** What an answer tells of tasks that the session no longer holds. */
  #hear(session: TeamSession, { told }: TeamOutcome & { kind: 'answered' }): void {
    const { ledger } = this.#options;
    for (const [id, how] of lostIn(told)) {
      ledger.count('told of a loss');
      const task = ledger.tasks.get(id);
      // It was released, taken over meanwhile, or resolved by whoever took it over.
      if (task?.hold?.session !== session) continue;
      if (how.includes('was released')) ledger.fault(`${session.name()} lost ${id}: ${how}`);
      task.hold = null;
    }
  }

  async #plan(session: TeamSession): Promise<void> {
    const { ledger, random } = this.#options;
    const count = 3 + random.below(4);
    const nodes = Array.from({ length: count }, (_, at) => ({
      ref: `r${at}`,
      summary: `Do ${ledger.mark('task')}`,
      ...(at === 0 || random.chance(0.5) ? {} : { depends_on: [`r${random.below(at)}`] }),
    }));
    const planned = await this.#call(session, 'graph_plan', { project: PROJECT, nodes });
    if (planned === null) return;
    const ids = new Map<string, string>((planned.value.created as { ref: string; id: string }[]).map(({ ref, id }) => [ref, id]));
    for (const { ref, depends_on = [] } of nodes)
      ledger.plan(
        session.place,
        ids.get(ref) ?? '',
        depends_on.map((each) => ids.get(each) ?? ''),
      );
  }

  async #next(session: TeamSession, args: Record<string, unknown>): Promise<void> {
    const { ledger } = this.#options;
    const before = ledger.heldBy(session);
    const next = await this.#call(session, 'graph_next', { project: PROJECT, claim: true, ...args });
    // Whatever was handed over may have been taken by a call whose answer is lost.
    if (next === null) return ledger.forgetHandoffs(session.place.site);
    const { nodes, your_claims: others = [] } = next.value as { nodes: readonly NextNode[]; your_claims?: readonly { id: string }[] };
    const isTaking = args['takeover'] === true;
    // One that was taken over before the answer was sent is told in the same answer.
    const lost = lostIn(next.told);
    for (const given of nodes)
      if (lost.has(given.node.id)) ledger.of(session.place, given.node.id).handoff = null;
      else this.#take(session, given, { sentAt: next.sentAt, isTaking });
    const own = new Set([...nodes.map(({ node }) => node.id), ...others.map(({ id }) => id)]);
    for (const task of before)
      if (task.hold?.session === session && !task.hold.isEnding && task.attempts === 0 && !own.has(task.id))
        ledger.fault(`${session.name()} holds ${task.id} no longer, without a word: ${next.told.slice(0, 500)}`);
  }

  #take(session: TeamSession, { node, handoff }: NextNode, { sentAt, isTaking }: { sentAt: number; isTaking: boolean }): void {
    const { ledger } = this.#options;
    const task = ledger.of(session.place, node.id);
    const { hold, handoff: open } = task;
    if (hold?.session !== session) ledger.claimed(task, session, { sentAt, isTaking });
    if (isTaking) ledger.count('takeover');
    // What is handed over in one worktree is told there, and in others once it is merged.
    const isThere = session.place.site.kind !== 'worktrees' || open?.place === session.place;
    if (open === null || !isThere) return;
    const isTold = handoff?.left?.includes(open.mark) === true;
    // It may have been made while this call was on its way.
    if (!isTold && open.at >= sentAt) return;
    task.handoff = null;
    if (hold?.session === session) return;
    if (isTold) ledger.count('handoff taken');
    else ledger.fault(`${session.name()} was not told ${open.mark} of ${task.id}: ${JSON.stringify(handoff)}`);
  }

  async #takeOver(session: TeamSession): Promise<void> {
    const { ledger, random } = this.#options;
    const held = ledger
      .openOf(session.place.site)
      .filter(({ hold, place }) => hold !== null && hold.session !== session && place === session.place);
    if (held.length === 0) return;
    await this.#next(session, { takeover: true, scope: random.pick(held).id });
  }

  /** Looks at what there is: who holds what, and what is free. */
  async #look(session: TeamSession): Promise<void> {
    const { ledger } = this.#options;
    const list = await this.#call(session, 'graph_query', {
      project: PROJECT,
      filter: { is_actionable: true },
      include_claimed: true,
      limit: 100,
    });
    if (list === null) return;
    for (const node of list.value.nodes as readonly { id: string; held_by?: string; properties?: Record<string, unknown> }[]) {
      const { held_by, properties = {} } = node;
      if (held_by === undefined) continue;
      const [by, claimedAt] = [String(properties['_claimed_by']), String(properties['_claimed_at'])];
      ledger.seenHeld(ledger.of(session.place, node.id), { by, claimedAt, sentAt: list.sentAt, asker: session });
    }
  }

  async #resolve(session: TeamSession, task: TeamTask): Promise<void> {
    const { ledger } = this.#options;
    const mark = ledger.mark('evidence');
    task.attempts += 1;
    if (task.hold !== null) task.hold.isEnding = true;
    const { hold } = task;
    const updates = [{ node_id: task.id, resolved: true, add_evidence: [{ type: 'note', ref: mark }] }];
    const done = await this.#call(session, 'graph_update', { updates });
    if (done === null) return this.#goesOn(task, session);
    // Another one took it over before this was done, and is told with its next call.
    if (task.hold !== null && task.hold !== hold) ledger.count('resolved after a takeover');
    task.hold = null;
    task.resolved.push({ by: session.name(), at: done.answeredAt, mark });
  }

  async #handOver(session: TeamSession, task: TeamTask): Promise<void> {
    const { ledger } = this.#options;
    const mark = ledger.mark('left');
    if (task.hold !== null) task.hold.isEnding = true;
    const { hold } = task;
    task.handoff = null;
    // Whoever took it over meanwhile may have resolved it.
    const isFair = (code: string): boolean => code === 'validation_error' && task.hold !== hold;
    const done = await this.#call(session, 'graph_handoff', { node_id: task.id, left: mark }, isFair);
    if (done === null) return this.#goesOn(task, session);
    if (task.hold !== hold) return;
    task.hold = null;
    task.handoff = { mark, place: session.place, at: done.answeredAt };
  }

  async #giveUp(session: TeamSession, task: TeamTask): Promise<void> {
    if (task.hold !== null) task.hold.isEnding = true;
    const { hold } = task;
    const done = await this.#call(session, 'graph_update', { updates: [{ node_id: task.id, properties: { _claimed_by: null } }] });
    if (done === null) return this.#goesOn(task, session);
    if (task.hold === hold) task.hold = null;
  }

  /** A call that was refused ended no claim. */
  #goesOn(task: TeamTask, session: TeamSession): void {
    if (task.hold?.session === session && session.isAlive) task.hold.isEnding = false;
  }
}
