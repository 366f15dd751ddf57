import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { errorMessage } from '../../../errors.ts';
import type { Host } from '../../host.ts';
import { callerOf } from '../caller.ts';
import type { McpCaller } from '../caller.ts';
import { showsApps } from '../app/graph-app.ts';
import { reportProgress } from '../surface/progress.ts';
import type { RequestContext } from '../surface/request.ts';
import { createSurface } from '../surface/surface.ts';
import type { CreateSurface } from '../surface/surface.ts';
import { createSubscriptions } from './subscriptions.ts';

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
  const server = new Server({ ...info }, { capabilities: { ...capabilities }, instructions });
  server.onerror = (error) => host.log.warn(`connection: ${errorMessage(error)}`);
  const subscriptions = createSubscriptions(surface, {
    updated: (uri) => server.sendResourceUpdated({ uri }),
    listChanged: () => server.sendResourceListChanged(),
  });
  // Handles everything that the SDK does not answer itself. Handlers registered by method would make it validate parameters and results on
  // each call, with error messages of its own.
  server.fallbackRequestHandler = async ({ method, params }, { signal, _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    const context: RequestContext = {
      signal,
      hasApps: showsApps(server.getClientCapabilities()),
      ...(progressToken === undefined
        ? {}
        : {
            progress: reportProgress(
              (step) =>
                void sendNotification({ method: 'notifications/progress', params: { progressToken, ...step } }).catch(() => undefined),
            ),
          }),
    };
    return { ...(await subscriptions.answer(method, params, context)) };
  };
  server.onclose = () => subscriptions.end();
  return server;
}
