import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, ServerNotification, Tool } from '@modelcontextprotocol/sdk/types.js';
import { errorMessage, RouxError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import type { Operation } from '../../ops/operation.ts';
import type { Answer } from '../../ops/session.ts';
import { chooseToolsets } from '../../ops/toolsets.ts';
import type { Host } from '../host.ts';
import { answerInEnvelope } from '../knowledge-envelope.ts';
import { answerRequest } from './answer-request.ts';
import { addCompletions } from './completions.ts';
import { toInstructions } from './instructions.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import { toEnvelopeResult, toTool, toToolError, toToolResult } from './tools.ts';

const tools = new WeakMap<readonly Operation[], readonly Tool[]>();

/** A server of the protocol for one client. It answers `initialize` at once; what needs the vault opens it. */
export function createMcpServer(host: Host, sessionId: string): Server {
  const server = new Server(
    { name: host.name, version: host.version, title: 'roux' },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {}, completions: {} },
      instructions: toInstructions(chooseToolsets(host.config), host.config.readOnly),
    },
  );
  const session = host.openSession({ id: sessionId, agent: () => server.getClientVersion()?.name ?? 'unknown' });
  server.onerror = (error) => host.log.warn(`connection: ${errorMessage(error)}`);

  answerRequest(server, ListToolsRequestSchema, async () => ({ tools: [...listTools(await host.operations(), host.config.readOnly)] }));

  answerRequest(server, CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const operations = await host.operations();
    const operation = operations.find((each) => each.name === params.name);
    if (operation === undefined) return toToolError({ toolset: 'vault' }, unknownTool(params.name, operations));
    const token = params._meta?.progressToken;
    const call = (args: unknown): Promise<Answer> =>
      session.call({
        operation,
        args,
        signal: extra.signal,
        ...(token === undefined ? {} : { progress: reportProgress(token, (notification) => void extra.sendNotification(notification)) }),
      });
    try {
      if (operation.envelope !== undefined)
        return toEnvelopeResult(operation, await answerInEnvelope(operation, params.arguments, { call, log: host.log }));
      return toToolResult(operation, await call(params.arguments));
    } catch (error) {
      if (!(error instanceof RouxError))
        host.log.error(`${operation.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return toToolError(operation, error);
    }
  });

  addResources(server, host, session);
  addPrompts(server, host);
  addCompletions(server, session);
  return server;
}

/** The tools of a list of operations, made once for each list: a list is of one host. */
function listTools(operations: readonly Operation[], isReadOnly: boolean): readonly Tool[] {
  let list = tools.get(operations);
  if (list === undefined) tools.set(operations, (list = operations.map((operation) => toTool(operation, { isReadOnly }))));
  return list;
}

function unknownTool(name: string, operations: readonly Operation[]): RouxError {
  const valid = operations.map((operation) => operation.name);
  return new RouxError('INVALID_PARAMS', `There is no tool "${name}"${didYouMean(name, valid)} Tools: ${valid.join(', ')}.`);
}

/** Reports a call's progress, a hundred steps at most. */
function reportProgress(progressToken: string | number, send: (notification: ServerNotification) => void) {
  let lastPercent = -1;
  return (done: number, total: number, message: string): void => {
    const percent = total > 0 ? Math.floor((done / total) * 100) : 100;
    if (percent === lastPercent) return;
    lastPercent = percent;
    send({ method: 'notifications/progress', params: { progressToken, progress: done, total, message } });
  };
}
