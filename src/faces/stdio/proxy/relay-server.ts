import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Config } from '../../../config.ts';
import { errorMessage } from '../../../errors.ts';
import { limitRunning } from '../../http/limits/limit-running.ts';
import type { Host } from '../../host.ts';
import { LineTransport } from '../line-transport.ts';
import { serveConnection } from '../serve-connection.ts';
import { readFirstLine, REFUSED, SERVED } from './greeting.ts';

/** The number of relays that one process serves. Further ones serve themselves. */
const MAX_RELAYS = 256;
const MAX_GREETING_BYTES = 65_536;
const MAX_GREETING_WAIT_MS = 10_000;

const greetingSchema = z.object({
  version: z.string(),
  configFolder: z.string(),
  flags: z.array(z.object({ source: z.string(), key: z.string(), value: z.union([z.string(), z.boolean()]) })),
  env: z.record(z.string(), z.string()),
  timeZone: z.string(),
  client: z.string(),
  connection: z.string().regex(/^[0-9a-f]{16}\.\d{1,10}\.\d{0,20}$/),
  hasReadElsewhere: z.boolean(),
});

/** Serves relaying processes of this user. */
export class RelayServer {
  readonly #host: Host;
  readonly #isVaultThere: () => boolean;
  readonly #connections = new Set<Socket>();

  /** `isVaultThere`: whether the folder of the vault is still where it was. After a move, a relay that comes from its new place is sent away. */
  constructor(host: Host, isVaultThere: () => boolean) {
    this.#host = limitRunning(host);
    this.#isVaultThere = isVaultThere;
  }

  /** Serves a connection until it ends. */
  add(connection: Socket): void {
    const connections = this.#connections;
    connection.once('close', () => connections.delete(connection));
    connections.add(connection);
    this.#serve(connection, connections.size <= MAX_RELAYS).catch((error: unknown) => {
      this.#host.log.warn(`relay: ${errorMessage(error)}`);
      connection.destroy();
    });
  }

  /** Ends all connections without further answers: each relay asks another process, which knows by the ids of its calls what was done. */
  end(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  async #serve(connection: Socket, hasRoom: boolean): Promise<void> {
    const line = await readFirstLine(connection, { maxBytes: MAX_GREETING_BYTES, maxWaitMs: MAX_GREETING_WAIT_MS });
    const caller = line === null || !hasRoom || !this.#isVaultThere() ? null : await callerOf(this.#host, line);
    if (caller === null) return void connection.end(`${REFUSED}\n`);
    connection.write(`${SERVED}\n`);
    const served = await serveConnection(this.#host, new LineTransport(connection, connection), caller);
    connection.resume();
    await served.ended;
    await served.close();
    connection.end();
  }
}

/** Returns the client of a relay; null if the relay would not answer it as this process does. Both read the same settings files (V-08). */
async function callerOf(host: Host, line: string) {
  const given = greetingSchema.parse(JSON.parse(line));
  if (given.version !== host.version || given.timeZone !== (process.env['TZ'] ?? '')) return null;
  const config = await host.settingsFor(given).catch(() => null);
  if (config === null || !isDeepStrictEqual(answering(config), answering(host.config))) return null;
  return { id: given.client, connection: given.connection, configured: config.agent ?? null, hasReadElsewhere: given.hasReadElsewhere };
}

/** Returns the settings without those that do not affect answers; `agent` is that of each client. */
function answering(config: Config): object {
  return { ...config, http: null, agent: null, log: null };
}
