import type { Host, RelaySocket } from '../host.ts';
import type { RelayServer } from './proxy/relay-server.ts';

/** Serves the relays that come to a socket. Returns a function that ends this: they go on with another process. */
export function acceptRelays(host: Host, socket: RelaySocket): () => void {
  let relays: RelayServer | null = null;
  let isEnded = false;
  socket.accept((connection) => {
    // What serves them is loaded with the first one.
    void import('./proxy/relay-server.ts').then(({ RelayServer }) => {
      if (isEnded) connection.destroy();
      else (relays ??= new RelayServer(host, () => socket.isVaultThere())).add(connection);
    });
  });
  return () => {
    isEnded = true;
    socket.close();
    relays?.end();
  };
}
