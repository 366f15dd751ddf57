import { openOverHttp } from '../../contract/tasks/sessions/windows.ts';
import { openMcp, signalAll } from '../../support/program/mcp-client.ts';
import type { McpSession, ToolAnswer } from '../../support/program/mcp-client.ts';
import type { Place } from './places.ts';

/** How a call ended: answered, refused with a code, or not known because the session was ended meanwhile. Times in milliseconds of the clock. */
export type TeamOutcome =
  | { readonly kind: 'answered'; readonly value: Value; readonly told: string; readonly sentAt: number; readonly answeredAt: number }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown' };

// oxlint-disable-next-line typescript/no-explicit-any
type Value = any;

/** The ways in which a session is ended from outside. */
export type Ending = 'kill' | 'term' | 'close';

let made = 0;

/** A session of an agent: over stdio with a process of its own, or over HTTP with a server that others use too. */
export class TeamSession {
  readonly number = (made += 1);
  readonly openedAt = Date.now();
  readonly agent: string;
  readonly place: Place;
  /** Since when nobody uses it any more; null while somebody does. */
  endedAt: number | null = null;
  /** How long after that its claims may count. */
  promisedMs = 0;
  /** Since when its process is stopped; null if it is not. */
  stoppedAt: number | null = null;
  readonly #session: Pick<McpSession, 'call'>;
  readonly #close: () => Promise<void>;
  /** Of its own process; null over HTTP. */
  readonly #pid: number | null;
  readonly #told: () => string;

  private constructor(
    agent: string,
    place: Place,
    opened: { session: Pick<McpSession, 'call'>; close: () => Promise<void>; pid: number | null; told: () => string },
  ) {
    this.agent = agent;
    this.place = place;
    this.#session = opened.session;
    this.#close = opened.close;
    this.#pid = opened.pid;
    this.#told = opened.told;
  }

  static async open(agent: string, place: Place, over: 'stdio' | 'http'): Promise<TeamSession> {
    if (over === 'http') {
      const session = await openOverHttp(await place.url());
      const opened = new TeamSession(agent, place, { session, close: () => session.client.close(), pid: null, told: () => place.told() });
      place.users.add(opened);
      return opened;
    }
    const session = await openMcp({ root: place.root }, { clientName: agent, env: place.env });
    return new TeamSession(agent, place, { session, close: session.close, pid: session.pid, told: session.stderr });
  }

  get isAlive(): boolean {
    return this.endedAt === null;
  }

  get hasProcess(): boolean {
    return this.#pid !== null;
  }

  async call(tool: string, args: Record<string, unknown>): Promise<TeamOutcome> {
    const sentAt = Date.now();
    let answer: ToolAnswer;
    try {
      answer = await this.#session.call(tool, args);
    } catch (error) {
      if (!this.isAlive) return { kind: 'unknown' };
      throw new Error(`${tool} got no answer for ${this.name()} after ${Date.now() - sentAt} ms: ${this.#told().slice(-2_000)}`, {
        cause: error,
      });
    }
    const told = answer.texts.join('\n');
    if (!answer.isError) return { kind: 'answered', value: answer.value, told, sentAt, answeredAt: Date.now() };
    const { error } = (typeof answer.value === 'object' && answer.value !== null ? answer.value : {}) as { error?: { code?: string } };
    return { kind: 'refused', code: error?.code ?? 'none', message: told };
  }

  name(): string {
    return `${this.agent} #${this.number} at ${this.place.name}`;
  }

  /** Ends it. Its claims may count for so long afterwards. */
  async end(how: Ending, promisedMs: number): Promise<void> {
    if (!this.isAlive) return;
    this.endedAt = Date.now();
    this.promisedMs = promisedMs;
    this.place.users.delete(this);
    if (this.#pid === null) return this.#close();
    if (how !== 'close') this.signal(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    // Otherwise it would end only when it goes on.
    if (this.stoppedAt !== null) this.resume();
    await this.#close();
  }

  signal(name: NodeJS.Signals): void {
    try {
      if (this.#pid !== null) signalAll(this.#pid, name);
    } catch {
      // It has ended by itself, as one that nobody asks any more.
    }
  }

  /** Stops its process, which holds everything that it holds meanwhile. */
  stop(): void {
    this.stoppedAt = Date.now();
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.stoppedAt = null;
    this.place.site.wokenAt = Date.now();
    this.signal('SIGCONT');
  }
}
