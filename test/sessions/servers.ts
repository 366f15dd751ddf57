import type { McpProcess, ToolAnswer } from '../support/program/mcp-client.ts';
import { openMcp, signalAll } from '../support/program/mcp-client.ts';

/** How a call ended: answered, refused with a code, or not known because the server died. */
export type Outcome =
  | { readonly kind: 'answered'; readonly value: Answer; readonly sentAt: number; readonly answeredAt: number }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown' };

// oxlint-disable-next-line typescript/no-explicit-any
type Answer = any;

/** A server that is started again whenever it was killed. */
export class KilledServer {
  readonly #root: string;
  readonly #agent: string;
  #session: Promise<McpProcess>;
  #generation = 0;

  constructor(root: string, agent: string) {
    this.#root = root;
    this.#agent = agent;
    this.#session = this.#open();
  }

  get agent(): string {
    return this.#agent;
  }

  async session(): Promise<McpProcess> {
    return this.#session;
  }

  async call(tool: string, args: Record<string, unknown>): Promise<Outcome> {
    // Before the wait: a server may be killed while this call still waits for its turn.
    const generation = this.#generation;
    const session = await this.#session;
    const sentAt = Date.now();
    let answer: ToolAnswer;
    try {
      answer = await session.call(tool, args);
    } catch (error) {
      if (generation === this.#generation)
        throw new Error(`${tool} got no answer of a living server: ${session.stderr()}`, { cause: error });
      return { kind: 'unknown' };
    }
    if (!answer.isError) return { kind: 'answered', value: answer.value, sentAt, answeredAt: Date.now() };
    const described = JSON.parse(answer.texts.find((text) => text.startsWith('{')) ?? '{}') as Record<string, unknown>;
    const error = (typeof described['error'] === 'object' ? described['error'] : described) as Record<string, unknown>;
    return { kind: 'refused', code: String(error['code']), message: answer.texts.join(' ') };
  }

  /** `kill -9`, and a new server in its place. */
  async kill(): Promise<void> {
    const session = await this.#session;
    this.#generation += 1;
    signalAll(session.pid, 'SIGKILL');
    this.#session = session.close().then(() => this.#open());
    await this.#session;
  }

  async close(): Promise<void> {
    await (await this.#session).close();
  }

  #open(): Promise<McpProcess> {
    return openMcp({ root: this.#root }, { flags: ['--toolsets', 'all', '--alone'], clientName: this.#agent });
  }
}
