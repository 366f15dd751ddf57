import type { Session } from '../../../ops/session.ts';
import type { Host } from '../../host.ts';
import type { HttpContext } from '../env.ts';

/** So many callers are remembered; the ones that were not heard of for longest are forgotten. */
const MOST = 1_000;

/**
 * The sessions of those who ask without one: one for each token, and another one for the person at the page, who sees what they change
 * and in whose name it is written.
 */
export class Callers {
  readonly #host: Host;
  readonly #person: string;
  readonly #sessions = new Map<string, Session>();

  /** `person`: who is at the page where the token has no name. */
  constructor(host: Host, person: string) {
    this.#host = host;
    this.#person = person;
  }

  /** Who is at the page, by the token. */
  personOf({ env: { access } }: HttpContext): string {
    return access.name === 'owner' ? this.#person : access.name;
  }

  sessionOf(context: HttpContext): Session {
    const { access } = context.env;
    // A form of another site cannot send this header, and a page of another origin is not let in.
    const isAtPage = context.req.header('x-roux-page') !== undefined;
    const id = `${isAtPage ? 'page' : 'http'}:${JSON.stringify(access)}`;
    const known = this.#sessions.get(id);
    const name = isAtPage ? this.personOf(context) : access.name === 'owner' ? 'http' : access.name;
    const session = known ?? this.#host.openSession({ id, agent: () => name, isWebUser: isAtPage, access, answersEarly: true });
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const [oldest = id] = this.#sessions.keys();
    if (this.#sessions.size > MOST) this.#sessions.delete(oldest);
    return session;
  }
}
