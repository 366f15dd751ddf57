import { Server } from '@modelcontextprotocol/server';
import type { Result } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { errorMessage } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import type { Log } from '../../../ports.ts';
import { reportProgress } from '../surface/progress.ts';
import { canAsk } from '../surface/question.ts';
import type { RequestContext } from '../surface/request.ts';
import type { Surface } from '../surface/surface.ts';
import { Question } from './question.ts';

/** Caching hints for what does not change while the server runs. */
const CACHE_HINT = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** Parameters are validated where they are answered. */
const ANY = z.looseObject({});

/** Creates a server for revision 2026-07-28 and later, for one connection or one request. It is stateless; the surface holds the state. */
export function createModernServer(surface: Surface, log: Log): Server {
  const { info, instructions, capabilities } = surface;
  const server = new Server(
    { ...info },
    {
      capabilities: { tools: {}, prompts: {}, completions: {}, resources: { ...capabilities.resources } },
      instructions,
      cacheHints: {
        'tools/list': CACHE_HINT,
        'prompts/list': CACHE_HINT,
        'resources/templates/list': CACHE_HINT,
        'server/discover': CACHE_HINT,
      },
    },
  );
  server.onerror = (error) => log.warn(`connection: ${errorMessage(error)}`);
  for (const method of surface.methods) serve(server, method, surface);
  return server;
}

function serve(server: Server, method: string, surface: Surface): void {
  server.setRequestHandler(method, { params: ANY }, async (params, { mcpReq }): Promise<Result> => {
    const progressToken = mcpReq._meta?.progressToken;
    const client = capabilitiesIn(mcpReq.envelope);
    const question = method === 'tools/call' && canAsk(client) ? new Question(mcpReq.inputResponses, mcpReq.requestState()) : null;
    const context: RequestContext = {
      signal: mcpReq.signal,
      capabilities: client,
      ...(question === null ? {} : { ask: question.ask }),
      ...(progressToken === undefined
        ? {}
        : {
            progress: reportProgress(
              (step) => void mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...step } }).catch(() => undefined),
            ),
          }),
    };
    const answer = await surface.answer(method, params, context);
    return { ...(question?.asked ?? answer) };
  });
}

/** Returns the capabilities of the client, which each request carries. */
function capabilitiesIn(envelope: object | undefined): unknown {
  return isRecord(envelope) ? envelope['io.modelcontextprotocol/clientCapabilities'] : undefined;
}
