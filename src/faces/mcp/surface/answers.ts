import type { Session } from '../../../ops/session.ts';
import type { Host } from '../../host.ts';
import type { WriteFolders } from './instructions.ts';
import { answerRequest, ProtocolFault, FAULTS } from './request.ts';
import type { Answered, RequestContext, RequestKind } from './request.ts';

type OpenKinds = (host: Host, session: Session, writeFolders: WriteFolders) => Promise<readonly RequestKind[]>;

/** What answers each group of methods, by the prefix of their names; imported on first use. */
const KINDS: ReadonlyMap<string, OpenKinds> = new Map<string, OpenKinds>([
  ['tools', async (host, session, writeFolders) => (await import('./call-tool.ts')).toolRequests({ host, session, writeFolders })],
  ['resources', async (host, session) => (await import('./resources.ts')).resourceRequests(host, session)],
  ['prompts', async (host) => (await import('./prompts.ts')).promptRequests(host)],
  ['completion', async (host, session) => (await import('./completions.ts')).completionRequests(host, session)],
]);

/** Answers the requests of one client through its session. */
export class Answers {
  readonly #host: Host;
  readonly #session: Session;
  readonly #writeFolders: WriteFolders;
  readonly #opened = new Map<string, Promise<readonly RequestKind[]>>();

  constructor(host: Host, session: Session, writeFolders: WriteFolders) {
    this.#host = host;
    this.#session = session;
    this.#writeFolders = writeFolders;
  }

  /** Answers a request. Rejects with a `ProtocolFault`, which is -32601 for an unknown method. */
  async answer(method: string, params: unknown, context: RequestContext): Promise<Answered> {
    const kind = (await this.#kindsLike(method)).find((each) => each.method === method);
    if (kind === undefined) throw new ProtocolFault(FAULTS.methodNotFound, 'Method not found');
    return answerRequest(kind, params, context);
  }

  async #kindsLike(method: string): Promise<readonly RequestKind[]> {
    const [group = ''] = method.split('/');
    const open = KINDS.get(group);
    if (open === undefined) return [];
    const opened = this.#opened.get(group) ?? open(this.#host, this.#session, this.#writeFolders);
    this.#opened.set(group, opened);
    return opened;
  }
}
