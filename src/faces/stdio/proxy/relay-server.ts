import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Config } from '../../../config.ts';
import { errorMessage } from '../../../errors.ts';
import { limitRunning } from '../../http/limits/limit-running.ts';
import type { Host, RelaySocket } from '../../host.ts';
import type { McpCaller } from '../../mcp/caller.ts';
import { nameVaults } from '../../vault-names.ts';
import { LineTransport } from '../line-transport.ts';
import { serveConnection } from '../serve-connection.ts';
import { readFirstLine, REFUSED, SERVED } from './greeting.ts';
import type { Greeting } from './greeting.ts';

/** The number of relays that one process serves. Further ones serve themselves. */
const MAX_RELAYS = 256;
const MAX_GREETING_BYTES = 65_536;
const MAX_VAULTS = 64;
const MAX_GREETING_WAIT_MS = 10_000;

const greetingSchema = z.object({
  version: z.string(),
  configFolder: z.string(),
  flags: z.array(z.object({ source: z.string(), key: z.string(), value: z.union([z.string(), z.boolean()]) })),
  env: z.record(z.string(), z.string()),
  timeZone: z.string(),
  vaults: z
    .array(z.object({ key: z.string(), name: z.string() }))
    .min(2)
    .max(MAX_VAULTS)
    .optional(),
  client: z.string(),
  connection: z.string().regex(/^[0-9a-f]{16}\.\d{1,10}\.\d{0,20}$/),
  hasReadElsewhere: z.boolean(),
});

/** Serves relaying processes of this user. */
export class RelayServer {
  readonly #hosts: readonly Host[];
  readonly #sockets: readonly (RelaySocket | null)[];
  readonly #connections = new Set<Socket>();

  /** Serves relays of one or several of these vaults, which come to their sockets. */
  constructor(hosts: readonly Host[], sockets: readonly (RelaySocket | null)[]) {
    this.#hosts = hosts.map(limitRunning);
    this.#sockets = sockets;
  }

  /** Serves a connection until it ends. */
  add(connection: Socket, socket: RelaySocket): void {
    const host = this.#hosts[this.#sockets.indexOf(socket)];
    if (host === undefined) return void connection.destroy();
    const connections = this.#connections;
    connection.once('close', () => connections.delete(connection));
    connections.add(connection);
    // After a move, a relay that comes from the new place of the vault is sent away.
    const isWelcome = (): boolean => connections.size <= MAX_RELAYS && socket.isVaultThere();
    this.#serve(connection, host, isWelcome).catch((error: unknown) => {
      host.log.warn(`relay: ${errorMessage(error)}`);
      connection.destroy();
    });
  }

  /** Ends all connections without further answers: each relay asks another process, which knows by the ids of its calls what was done. */
  end(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  async #serve(connection: Socket, own: Host, isWelcome: () => boolean): Promise<void> {
    const line = await readFirstLine(connection, { maxBytes: MAX_GREETING_BYTES, maxWaitMs: MAX_GREETING_WAIT_MS });
    const client = line === null || !isWelcome() ? null : await this.#read(own, line);
    if (client === null) return void connection.end(`${REFUSED}\n`);
    connection.write(`${SERVED}\n`);
    const served = await serveConnection(client.hosts, new LineTransport(connection, connection), client.caller);
    connection.resume();
    await served.ended;
    await served.close();
    connection.end();
  }

  /**
   * Returns the client of a relay and its vaults; null if the relay would not answer it as this process does. Both read the same settings
   * files (V-08).
   */
  async #read(own: Host, line: string): Promise<{ readonly hosts: readonly Host[]; readonly caller: McpCaller } | null> {
    const given = greetingSchema.parse(JSON.parse(line));
    if (given.version !== own.version || given.timeZone !== (process.env['TZ'] ?? '')) return null;
    const caller = { id: given.client, connection: given.connection, hasReadElsewhere: given.hasReadElsewhere };
    if (given.vaults !== undefined) {
      const hosts = this.#find(given.vaults);
      if (hosts === null) return null;
      // What a client has for itself may differ from vault to vault: it is served where it has the same as this process in each.
      const isSame = await Promise.all(
        hosts.map(async (host) => {
          const config = await host.settingsFor(given).catch(() => null);
          return config !== null && isDeepStrictEqual(forAnswers(config), forAnswers(host.config));
        }),
      );
      return isSame.includes(false) ? null : { hosts, caller };
    }
    const config = await own.settingsFor(given).catch(() => null);
    if (config === null || !isDeepStrictEqual(answering(config), answering(own.config))) return null;
    const configured = { agent: config.agent ?? null, writeFolders: config.writes.folders ?? null };
    return { hosts: [own], caller: { ...caller, configured } };
  }

  /** Returns these vaults, in this order; null if this process does not have them all, or would name them otherwise, as with a link to a folder. */
  #find(vaults: NonNullable<Greeting['vaults']>): readonly Host[] | null {
    const found = vaults.flatMap(({ key }) => this.#hosts[this.#sockets.findIndex((socket) => socket?.vault === key)] ?? []);
    const names = nameVaults(found.map(({ root }) => root));
    return isDeepStrictEqual(
      names,
      vaults.map(({ name }) => name),
    )
      ? found
      : null;
  }
}

/** Returns the settings without those that do not affect answers. */
function forAnswers(config: Config): object {
  return { ...config, http: null, log: null };
}

/** Returns the settings without those that each client has for itself either. */
function answering(config: Config): object {
  return { ...forAnswers(config), agent: null, writes: { ...config.writes, folders: null } };
}
