import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { errorMessage } from '../../../errors.ts';
import type { Host } from '../../host.ts';
import { callerOf } from '../caller.ts';
import type { McpCaller } from '../caller.ts';
import { showsApps } from '../app/graph-app.ts';
import { reportProgress } from '../surface/progress.ts';
import type { RequestContext } from '../surface/request.ts';
import { openSurface } from '../surface/surface.ts';
import type { OpenSurface } from '../surface/surface.ts';
import { subscriptionsOf } from './subscriptions.ts';

/**
 * A server of the protocol up to revision 2025-11-25 for one client. It answers `initialize` at once; what needs the vault opens it.
 * `open` says what is offered: all that the host offers, where nobody says otherwise.
 */
export function createMcpServer(host: Host, caller: McpCaller, open: OpenSurface = openSurface): Server {
  const surface = open(
    host,
    callerOf(caller, () => server.getClientVersion()?.name),
  );
  const { info, instructions, capabilities } = surface;
  const server = new Server({ ...info }, { capabilities: { ...capabilities }, instructions });
  server.onerror = (error) => host.log.warn(`connection: ${errorMessage(error)}`);
  const subscriptions = subscriptionsOf(surface, {
    updated: (uri) => server.sendResourceUpdated({ uri }),
    listChanged: () => server.sendResourceListChanged(),
  });
  // All but what the SDK answers itself. It would look at parameters and results of some requests in words of its own, at a cost each time.
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
