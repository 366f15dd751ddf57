import type { Session } from '../../../ops/session.ts';
import type { Host } from '../../host.ts';
import type { HttpContext } from '../env.ts';

/** Beyond this number of sessions, the least recently used one is dropped. */
const MAX_SESSIONS = 1_000;

/**
 * The sessions of requests outside of MCP: one for each token, and a second one for the user of the web page, whose writes are recorded
 * under their name.
 */
export class Callers {
  readonly #host: Host;
  readonly #person: string;
  readonly #sessions = new Map<string, Session>();

  /** `person` is the name of the page's user if the token has none. */
  constructor(host: Host, person: string) {
    this.#host = host;
    this.#person = person;
  }

  /** Returns the name of the page's user. */
  personOf({ env: { access } }: HttpContext): string {
    return access.name === 'owner' ? this.#person : access.name;
  }

  sessionOf(context: HttpContext): Session {
    const { access } = context.env;
    // A form on another site cannot send this header, and pages of other origins are refused.
    const isWebUser = context.req.header('x-roux-page') !== undefined;
    const id = `${isWebUser ? 'page' : 'http'}:${JSON.stringify(access)}`;
    const known = this.#sessions.get(id);
    const name = isWebUser ? this.personOf(context) : access.name === 'owner' ? 'http' : access.name;
    const session = known ?? this.#host.openSession({ id, agent: () => name, isWebUser, access, answersEarly: true });
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const [oldest = id] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS) this.#sessions.delete(oldest);
    return session;
  }
}
