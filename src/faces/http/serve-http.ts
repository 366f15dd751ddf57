import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Host } from '../host.ts';
import { vaultPath } from '../vault-names.ts';
import { openDoor } from './vaults/door.ts';
import type { Door, ServeOptions } from './vaults/door.ts';
import { answerSeveral } from './vaults/root.ts';
import type { NamedDoor } from './vaults/root.ts';

export interface HttpFace {
  /** Such as `http://127.0.0.1:7411`, with the actual port; among several vaults `http://127.0.0.1:7411/notes`. */
  readonly url: string;
  /** Proves to programs of this user that this is their server. Opens nothing. */
  readonly key: string;
  /** Returns a ticket that the page can exchange for the token for some minutes, for places where a token must not be stored. */
  ticket(): string;
  /** Shuts the server down: refuses new requests, finishes those in progress, notifies listening clients, and closes (V-07). */
  close(): Promise<void>;
}

/** How many further ports are tried if the configured one is in use. */
const MAX_FURTHER_PORTS = 20;
/** How long a client may take to send the headers, and the whole request. */
const MAX_HEADERS_MS = 10_000;
const MAX_REQUEST_MS = 120_000;

interface Started {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves a vault over HTTP: MCP at `/mcp`, operations at `/api/<operation>`, the web page at `/`, `/metrics` and `/health`. */
export async function serveHttp(host: Host, options: ServeOptions): Promise<HttpFace> {
  const door = openDoor(host, options);
  const { url, close } = await startServer(host.config.http, (request, response) => door.answer(request, response, request.url ?? ''));
  return faceOf(door, url, async () => {
    await door.close();
    await close();
  });
}

/** A vault to be served with others. */
export interface ServedVault {
  readonly name: string;
  readonly host: Host;
  readonly options: ServeOptions;
}

/** Serves several vaults at one address, each below its name. Returns their faces in this order. */
export async function serveVaults(first: ServedVault, others: readonly ServedVault[]): Promise<readonly HttpFace[]> {
  const all = [first, ...others].map(({ name }) => name);
  const open = ({ name, host, options }: ServedVault): NamedDoor => ({
    name,
    host,
    door: openDoor(host, { ...options, among: { name, all } }),
  });
  const [firstDoor, otherDoors] = [open(first), others.map(open)];
  const opened = [firstDoor, ...otherDoors];
  const { url, close } = await startServer(first.host.config.http, answerSeveral(firstDoor, otherDoors));
  let closed: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.map(({ door }) => door.close()));
    await close();
  };
  return opened.map(({ name, door }) => faceOf(door, url + vaultPath(name), () => (closed ??= closeAll())));
}

function faceOf(door: Door, url: string, close: () => Promise<void>): HttpFace {
  return { url, key: door.key, ticket: () => door.ticket(), close };
}

/** Starts a server, whose address is `url`. */
async function startServer(address: { readonly host: string; readonly port: number }, answer: RequestListener): Promise<Started> {
  const server = createServer({ headersTimeout: MAX_HEADERS_MS, requestTimeout: MAX_REQUEST_MS }, (request, response) => {
    // Pages of other sites must not embed any answer.
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    answer(request, response);
  });
  const port = await listen(server, address);
  const name = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    url: `http://${name}:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on the configured port or the next free one, so that a second vault on the machine needs no configuration. */
async function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port === 0 ? 0 : port + attempt, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || attempt === MAX_FURTHER_PORTS || port + attempt >= 65_535) throw error;
    }
  }
}
