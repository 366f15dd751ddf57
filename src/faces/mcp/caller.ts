import type { Caller } from '../../ops/session.ts';
import type { Access } from '../../ports.ts';

/** Whom a server of the protocol is for. */
export interface McpCaller {
  /** One for each connection. */
  readonly id: string;
  /** What its own configuration calls it, where that is another one than this server's; null: nothing. */
  readonly configured?: string | null;
  /** Another process served it before, and knew what it had read. */
  readonly hasReadElsewhere?: boolean;
  /** What its token lets it do; all where there is none. */
  readonly access?: Access;
}

/** A client as operations know it; `client` gives the name that its program has, once that is known. */
export function callerOf({ id, access, configured, hasReadElsewhere }: McpCaller, client: () => string | null | undefined): Caller {
  return {
    id,
    agent: () => nameOf(client() ?? 'unknown', access),
    ...(access === undefined ? {} : { access }),
    ...(configured === undefined ? {} : { configured }),
    ...(hasReadElsewhere === undefined ? {} : { hasReadElsewhere }),
  };
}

/** A client by its own name; with a token that has one, by both: two with the same program are told apart. */
function nameOf(client: string, access: Access | undefined): string {
  return access === undefined || access.name === 'owner' ? client : `${client} (${access.name})`;
}
