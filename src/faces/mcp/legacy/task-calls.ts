import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { callIdOf, isLong, DEFAULT_TTL_MS, MAX_TASKS, MAX_TTL_MS } from '../calls.ts';
import { answerRequest, defineRequest, FAULTS, ProtocolFault, toFault } from '../surface/request.ts';
import type { Answered, Progress, RequestKind } from '../surface/request.ts';
import type { Surface } from '../surface/surface.ts';

const MIN_TTL_MS = 1_000;
const POLL_MS = 1_000;
const RELATED = 'io.modelcontextprotocol/related-task';

/** A task as the protocol shows it. */
interface Task {
  readonly taskId: string;
  status: 'working' | 'completed' | 'failed' | 'cancelled';
  statusMessage?: string;
  readonly createdAt: string;
  lastUpdatedAt: string;
  readonly ttl: number;
  readonly pollInterval: number;
}

interface Running {
  readonly task: Task;
  readonly controller: AbortController;
  /** What its call came to; null while it runs and after it was cancelled. */
  outcome: { readonly result: Answered } | { readonly fault: ProtocolFault } | null;
  readonly ended: Promise<void>;
  readonly end: () => void;
  expiry: NodeJS.Timeout | undefined;
}

const taskParams = z.looseObject({
  name: z.string(),
  task: z.looseObject({ ttl: z.number().nullish().catch(null) }),
  _meta: z.looseObject({}).optional(),
});
const ofTask = z.object({ taskId: z.string() });

/**
 * Calls that are answered later, in revision 2025-11-25 (O-09): the client gets a task at once, and asks for its state and result. A task
 * ends with its connection, and is removed some time after it has ended, or if it takes longer than that.
 */
export class TaskCalls {
  readonly #surface: Surface;
  readonly #onEnd: (task: Readonly<Task>) => void;
  readonly #tasks = new Map<string, Running>();
  readonly #kinds: ReadonlyMap<string, RequestKind>;

  /** `onEnd` is told of tasks that ended by themselves. */
  constructor(surface: Surface, onEnd: (task: Readonly<Task>) => void) {
    this.#surface = surface;
    this.#onEnd = onEnd;
    this.#kinds = new Map(
      [
        defineRequest({ method: 'tasks/get', params: ofTask, answer: ({ taskId }) => ({ ...this.#find(taskId).task }) }),
        defineRequest({ method: 'tasks/result', params: ofTask, answer: ({ taskId }, { signal }) => this.#resultOf(taskId, signal) }),
        defineRequest({ method: 'tasks/cancel', params: ofTask, answer: ({ taskId }) => this.#cancel(taskId) }),
        defineRequest({
          method: 'tasks/list',
          params: z.object({}).optional(),
          answer: () => ({ tasks: [...this.#tasks.values()].map(({ task }) => ({ ...task })) }),
        }),
      ].map((kind) => [kind.method, kind]),
    );
  }

  /** Answers a request about tasks; null for any other request. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<Answered> | null {
    const kind = this.#kinds.get(method);
    return kind === undefined ? null : answerRequest(kind, params, { signal });
  }

  /** Starts a call as a task, and returns the task; null if the request asks for none. */
  start(method: string, params: unknown, progress: Progress | undefined): Answered | null {
    if (method !== 'tools/call') return null;
    const asked = taskParams.safeParse(params);
    if (!asked.success) return null;
    const { task: wanted, ...call } = asked.data;
    if (!isLong(call.name)) throw new ProtocolFault(FAULTS.methodNotFound, `${call.name} cannot be called as a task; call it without one.`);
    // A call that is repeated since its server ended is the same task.
    const taskId = callIdOf(call._meta) ?? randomUUID();
    const known = this.#tasks.get(taskId);
    if (known !== undefined) return { task: { ...known.task } };
    this.#makeRoom();
    const running = this.#open(taskId, wanted.ttl ?? DEFAULT_TTL_MS);
    void this.#run(running, call, progress);
    return { task: { ...running.task } };
  }

  /** Ends all tasks, when the client is gone. */
  end(): void {
    for (const running of this.#tasks.values()) this.#remove(running);
  }

  #open(taskId: string, wantedMs: number): Running {
    const ttl = Math.min(MAX_TTL_MS, Math.max(MIN_TTL_MS, Math.round(wantedMs)));
    const now = new Date().toISOString();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const task: Task = { taskId, status: 'working', createdAt: now, lastUpdatedAt: now, ttl, pollInterval: POLL_MS };
    const running: Running = { task, controller: new AbortController(), outcome: null, ended, end, expiry: undefined };
    this.#tasks.set(taskId, running);
    this.#expire(running);
    return running;
  }

  async #run(running: Running, call: unknown, progress: Progress | undefined): Promise<void> {
    const { task, controller } = running;
    const context = {
      signal: controller.signal,
      progress: (done: number, total: number, message: string): void => {
        this.#update(running, task.status, `${message}: ${done} of ${total}`);
        progress?.(done, total, message);
      },
    };
    try {
      const result = await this.#surface.answer('tools/call', call, context);
      running.outcome ??= { result };
    } catch (error) {
      running.outcome ??= { fault: toFault(error) };
    }
    if (task.status !== 'working') return;
    this.#update(running, 'result' in running.outcome && running.outcome.result['isError'] !== true ? 'completed' : 'failed');
    running.end();
    this.#expire(running);
    this.#onEnd({ ...task });
  }

  #update({ task }: Running, status: Task['status'], message?: string): void {
    task.status = status;
    task.lastUpdatedAt = new Date().toISOString();
    if (message === undefined) delete task.statusMessage;
    else task.statusMessage = message;
  }

  /** Removes a task after its time, counted from now. */
  #expire(running: Running): void {
    clearTimeout(running.expiry);
    running.expiry = setTimeout(() => this.#remove(running), running.task.ttl).unref();
  }

  #remove(running: Running): void {
    clearTimeout(running.expiry);
    this.#tasks.delete(running.task.taskId);
    running.controller.abort();
    running.end();
  }

  #makeRoom(): void {
    if (this.#tasks.size < MAX_TASKS) return;
    const old = [...this.#tasks.values()].find(({ task }) => task.status !== 'working');
    if (old === undefined)
      throw new ProtocolFault(FAULTS.internal, `${MAX_TASKS} tasks of this connection are at work; wait for one, or cancel one.`);
    this.#remove(old);
  }

  #find(taskId: string): Running {
    const running = this.#tasks.get(taskId);
    if (running === undefined) throw new ProtocolFault(FAULTS.invalidParams, 'There is no such task, or its time is over.');
    return running;
  }

  async #resultOf(taskId: string, signal: AbortSignal): Promise<Answered> {
    const running = this.#find(taskId);
    await Promise.race([running.ended, new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))]);
    const { outcome, task } = running;
    if (outcome === null || task.status === 'cancelled') {
      const what = task.status === 'cancelled' ? 'The task was cancelled.' : 'The time of the task is over.';
      throw new ProtocolFault(FAULTS.invalidParams, what);
    }
    if ('fault' in outcome) throw outcome.fault;
    const { _meta: meta, ...rest } = outcome.result;
    return { ...rest, _meta: { ...(typeof meta === 'object' ? meta : {}), [RELATED]: { taskId } } };
  }

  #cancel(taskId: string): Answered {
    const running = this.#find(taskId);
    const { task } = running;
    if (task.status !== 'working') throw new ProtocolFault(FAULTS.invalidParams, `The task is ${task.status} already.`);
    this.#update(running, 'cancelled', 'Cancelled by the client.');
    running.controller.abort();
    running.end();
    return { ...task };
  }
}
