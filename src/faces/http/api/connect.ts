import { isLoopback } from '../guard.ts';
import type { Host } from '../../host.ts';
import type { HttpContext } from '../env.ts';
import { answerJson } from './answer.ts';

/** How a client is told to use the vault. One of the ways is enough. */
export interface Connection {
  readonly client: string;
  /** What to do with each text, as a clause before a colon. */
  readonly ways: readonly { readonly how: string; readonly text: string }[];
}

export interface Connections {
  /** For clients on this machine, which start a server of their own. Tells where the vault is. */
  readonly local: readonly Connection[];
  /** For all others, which call this server. `{url}` and `{token}` in the texts stand for what only the page knows. */
  readonly remote: readonly Connection[];
}

/** `GET /api/connect`: returns how clients connect to this vault. */
export function answerConnect(server: { readonly host: Host; readonly connections: Connections }, context: HttpContext): Response {
  return answerJson(context, describeConnections(server, context));
}

/** Leaves out where the vault is for everybody but its owner on this machine. */
export function describeConnections(
  { host, connections }: { readonly host: Host; readonly connections: Connections },
  { env: { access } }: HttpContext,
): Connections {
  const isLocal = access.name === 'owner' && isLoopback(host.config.http.host);
  return isLocal ? connections : { ...connections, local: [] };
}
