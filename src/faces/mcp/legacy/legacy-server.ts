import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { errorMessage } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import type { Host } from '../../host.ts';
import { callerOf } from '../caller.ts';
import type { McpCaller } from '../caller.ts';
import { reportProgress } from '../surface/progress.ts';
import { canAsk, chosenIn, MAX_QUESTION_MS, toQuestion } from '../surface/question.ts';
import type { RequestContext } from '../surface/request.ts';
import { createSurface } from '../surface/surface.ts';
import type { CreateSurface } from '../surface/surface.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { TaskCalls } from './task-calls.ts';

/** What the capabilities of the server say about calls as tasks. */
const TASK_CAPABILITY = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/**
 * Creates a server for one client with a protocol revision up to 2025-11-25. It answers `initialize` at once; the first request that needs
 * the vault opens it. `open` determines what is offered; by default everything the host offers.
 */
export function createMcpServer(host: Host, caller: McpCaller, open: CreateSurface = createSurface): Server {
  const surface = open(
    host,
    callerOf(caller, () => server.getClientVersion()),
  );
  const { info, instructions, capabilities } = surface;
  const server = new Server({ ...info }, { capabilities: { ...capabilities, tasks: TASK_CAPABILITY }, instructions });
  server.onerror = (error) => host.log.warn(`connection: ${errorMessage(error)}`);
  const subscriptions = createSubscriptions(surface, {
    updated: (uri) => server.sendResourceUpdated({ uri }),
    listChanged: () => server.sendResourceListChanged(),
  });
  let tasks: Promise<TaskCalls> | null = null;
  const openTasks = async (): Promise<TaskCalls> => {
    // Few clients know of them.
    const { TaskCalls: Calls } = await import('./task-calls.ts');
    return new Calls(
      surface,
      (task) => void server.notification({ method: 'notifications/tasks/status', params: { ...task } }).catch(() => undefined),
    );
  };
  // Handles everything that the SDK does not answer itself. Handlers registered by method would make it validate parameters and results on
  // each call, with error messages of its own.
  server.fallbackRequestHandler = async ({ method, params }, { signal, _meta, sendNotification, sendRequest }) => {
    const progressToken = _meta?.progressToken;
    const isTask = isTaskRequest(method, params);
    const client = server.getClientCapabilities();
    const progress =
      progressToken === undefined
        ? undefined
        : reportProgress((step) => {
            const notification = { method: 'notifications/progress' as const, params: { progressToken, ...step } };
            // What belongs to a request ends with its answer, which a task's has had.
            void (isTask ? server.notification(notification) : sendNotification(notification)).catch(() => undefined);
          });
    if (isTask) {
      const calls = await (tasks ??= openTasks());
      const answer = calls.answer(method, params, signal) ?? calls.start(method, params, progress);
      if (answer !== null) return { ...(await answer) };
    }
    const context: RequestContext = {
      signal,
      capabilities: client,
      hasTasks: client?.tasks !== undefined,
      ...(progress === undefined ? {} : { progress }),
      ...(canAsk(client)
        ? {
            ask: (choice) =>
              sendRequest({ method: 'elicitation/create', params: { mode: 'form', ...toQuestion(choice) } }, ElicitResultSchema, {
                timeout: MAX_QUESTION_MS,
                signal,
              }).then(chosenIn, () => null),
          }
        : {}),
    };
    return { ...(await subscriptions.answer(method, params, context)) };
  };
  server.onclose = () => {
    subscriptions.end();
    void tasks?.then((calls) => calls.end());
  };
  return server;
}

/** Whether a request is about a task, or asks for one. */
function isTaskRequest(method: string, params: unknown): boolean {
  return method.startsWith('tasks/') || (method === 'tools/call' && isRecord(params) && isRecord(params['task']));
}
