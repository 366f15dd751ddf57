import { errorMessage } from '../../errors.ts';
import type { Host, RelaySocket } from '../host.ts';
import type { RelayServer } from './proxy/relay-server.ts';

/**
 * Serves the relays that come to the sockets of the vaults of this process, in their order; null where a vault has none. Returns a function
 * that ends this: they go on with another process.
 */
export function acceptRelays(hosts: readonly Host[], sockets: readonly (RelaySocket | null)[]): () => void {
  let relays: RelayServer | null = null;
  let isEnded = false;
  for (const socket of sockets) {
    socket?.accept((connection) => {
      // What serves them is loaded with the first one.
      void import('./proxy/relay-server.ts').then(({ RelayServer }) => {
        if (isEnded) connection.destroy();
        else (relays ??= new RelayServer(hosts, sockets)).add(connection, socket);
      });
    });
  }
  return () => {
    isEnded = true;
    for (const socket of sockets) socket?.close();
    relays?.end();
  };
}

/** Opens a socket for the relays of a vault; null where they have to open it themselves. */
export async function listen({ serverFiles, log }: Host): Promise<RelaySocket | null> {
  try {
    return await serverFiles.listen();
  } catch (error) {
    log.info(`"roux mcp" will open the vault itself: ${errorMessage(error)}`);
    return null;
  }
}
