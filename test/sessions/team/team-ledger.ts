import type { Place, Site } from './places.ts';
import type { TeamSession } from './team-session.ts';

/** A task that a session was given. */
export interface Hold {
  readonly session: TeamSession;
  readonly sentAt: number;
  readonly isTaken: boolean;
  /** The holder has asked to end it. */
  isEnding: boolean;
}

export interface TeamTask {
  readonly id: string;
  readonly place: Place;
  readonly after: readonly string[];
  hold: Hold | null;
  /** Those that ended while they held it. */
  readonly dead: Hold[];
  /** Acknowledged and attempted resolutions. */
  readonly resolved: { readonly by: string; readonly at: number; readonly mark: string }[];
  attempts: number;
  /** What was handed over last and where, unless somebody may have taken it. */
  handoff: { readonly mark: string; readonly place: Place; readonly at: number } | null;
}

/** Beyond what is promised, for a busy machine. A claim that nobody released would be seen for longer. */
const SLACK_MS = 15_000;

/** All that was promised to the agents, and what broke a promise. */
export class TeamLedger {
  readonly tasks = new Map<string, TeamTask>();
  readonly faults: string[] = [];
  readonly counts = new Map<string, number>();
  /** The longest that a task was held by somebody dead beyond what is promised. */
  longestDeadMs = 0;
  #marks = 0;

  mark(kind: string): string {
    return `${kind}-mark-${(this.#marks += 1)}`;
  }

  count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  fault(text: string): void {
    this.faults.push(`${new Date().toISOString()} ${text}`);
    // Seen while a long run goes on.
    console.error(text);
  }

  plan(place: Place, id: string, after: readonly string[]): void {
    this.tasks.set(id, { id, place, after, hold: null, dead: [], resolved: [], attempts: 0, handoff: null });
  }

  /** A task that somebody planned; one whose plan got no answer is made known. */
  of(place: Place, id: string): TeamTask {
    if (!this.tasks.has(id)) this.plan(place, id, []);
    return this.tasks.get(id) as TeamTask;
  }

  openOf(site: Site): readonly TeamTask[] {
    return [...this.tasks.values()].filter((task) => task.place.site === site && task.resolved.length === 0);
  }

  heldBy(session: TeamSession): readonly TeamTask[] {
    return [...this.tasks.values()].filter((task) => task.hold?.session === session);
  }

  forgetHandoffs(site: Site): void {
    for (const task of this.tasks.values()) if (task.place.site === site) task.handoff = null;
  }

  /** A task was shown as one to start, with a claim or without. */
  shown(task: TeamTask, session: TeamSession, sentAt: number): void {
    const done = task.resolved.find(({ at }) => at < sentAt);
    if (done !== undefined) this.fault(`${task.id} is handed out to ${session.name()} after ${done.by} resolved it`);
    for (const id of task.after) {
      const before = this.tasks.get(id);
      if (before !== undefined && before.attempts === 0) this.fault(`${task.id} is handed out to ${session.name()} before ${id}`);
    }
  }

  /** A claim was answered. `isTaking`: by a takeover. */
  claimed(task: TeamTask, session: TeamSession, { sentAt, isTaking }: { sentAt: number; isTaking: boolean }): void {
    this.shown(task, session, sentAt);
    const { hold } = task;
    const isOther = hold !== null && hold.session !== session && hold.session.isAlive && !hold.isEnding;
    // A takeover whose answer came first may have been the second.
    if (isOther && !isTaking && !(hold.isTaken && hold.sentAt >= sentAt))
      this.fault(`${task.id} is held by ${hold.session.name()} and ${session.name()}`);
    // Whoever held it before may have resolved it meanwhile, without knowing.
    if (task.resolved.some(({ at }) => at >= sentAt)) task.hold = null;
    else task.hold = { session, sentAt, isTaken: isTaking, isEnding: false };
  }

  /** A session has ended, with all that it held. */
  ended(session: TeamSession): void {
    for (const task of this.heldBy(session)) {
      if (task.hold !== null) task.dead.push(task.hold);
      task.hold = null;
    }
  }

  /** A list says that somebody holds a task: nobody who is dead may, beyond the promised time. */
  seenHeld(task: TeamTask, { by, claimedAt, sentAt, asker }: { by: string; claimedAt: string; sentAt: number; asker: TeamSession }): void {
    // Renewed while it was alive, perhaps.
    const hold = task.dead.findLast((each) => each.session.agent === by && Date.parse(claimedAt) <= (each.session.endedAt ?? 0));
    if (hold === undefined || task.hold !== null) return;
    const { session } = hold;
    const { site } = session.place;
    if ([...this.stopped].some((each) => each.place.site === site)) return;
    const since = Math.max(session.endedAt ?? sentAt, site.wokenAt, asker.openedAt);
    const beyondMs = sentAt - since - session.promisedMs;
    this.longestDeadMs = Math.max(this.longestDeadMs, beyondMs);
    if (beyondMs > SLACK_MS)
      this.fault(`${task.id} is held by ${session.name()}, which is dead, ${beyondMs} ms longer than promised; ${asker.name()} asked`);
  }

  /** Processes that are stopped at the moment. */
  readonly stopped = new Set<TeamSession>();
}
