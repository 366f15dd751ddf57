import type { Caller } from '../../ops/session.ts';
import type { Access } from '../../ports.ts';

/** The client that an MCP server is for. */
export interface McpCaller {
  /** Unique for each connection. */
  readonly id: string;
  /** Names its connection among all processes (`Caller.connection`); absent for a client without one. */
  readonly connection?: string;
  /** What the client's own settings say, if they are not this server's. */
  readonly configured?: Caller['configured'];
  /** Whether another process served this client before, so that it may have read notes that this server does not know of. */
  readonly hasReadElsewhere?: boolean;
  /** What its token allows; everything if undefined. */
  readonly access?: Access;
}

/** The program of a client, as it names itself. */
export interface ClientProgram {
  readonly name: string;
  readonly version?: string | undefined;
}

/** Converts a client to a caller of operations. `client` returns the client's program once it is known. */
export function callerOf(
  { id, access, connection, configured, hasReadElsewhere }: McpCaller,
  client: () => ClientProgram | null | undefined,
): Caller {
  return {
    id,
    agent: () => nameOf(client()?.name ?? 'unknown', access),
    isAgent: true,
    ...(access === undefined ? {} : { access }),
    ...(connection === undefined ? {} : { connection }),
    ...(configured === undefined ? {} : { configured }),
    ...(hasReadElsewhere === undefined ? {} : { hasReadElsewhere }),
  };
}

/** Formats a client's name, with the token's name if that is not the owner's, so that two clients of the same program differ. */
function nameOf(client: string, access: Access | undefined): string {
  return access === undefined || access.name === 'owner' ? client : `${client} (${access.name})`;
}
