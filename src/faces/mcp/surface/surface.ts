import type { Caller, Session } from '../../../ops/session.ts';
import { chooseToolsets } from '../../../ops/toolsets.ts';
import type { Host } from '../../host.ts';
import { toInstructions } from './instructions.ts';
import type { WriteFolders } from './instructions.ts';
import { answerRequest, FAULTS, ProtocolFault } from './request.ts';
import type { Answered, RequestContext, RequestKind } from './request.ts';
import { followResources } from './resource-changes.ts';
import type { Followable } from './resource-changes.ts';
import { requireFollowable } from './resource-uris.ts';

/** What roux offers to one client, independent of the protocol revision. An adapter for each SDK serves it. */
export interface Surface extends Followable {
  readonly info: { readonly name: string; readonly version: string; readonly title: string };
  readonly capabilities: {
    readonly tools: object;
    readonly resources: { readonly subscribe: boolean; readonly listChanged: boolean };
    readonly prompts: object;
    readonly completions: object;
  };
  readonly instructions: string;
  /** The methods that it answers. */
  readonly methods: readonly string[];
  /** Answers a request whose parameters have not been validated. Rejects with a `ProtocolFault`, which is -32601 for an unknown method. */
  answer(method: string, params: unknown, context: RequestContext): Promise<Answered>;
  /** Throws a `ProtocolFault` for a URI that cannot be followed. */
  requireFollowable(uri: string): void;
}

export type CreateSurface = (host: Host, caller: Caller) => Surface;

const METHODS: readonly string[] = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
];

type OpenKinds = (host: Host, session: Session, writeFolders: WriteFolders) => Promise<readonly RequestKind[]>;

/** What answers each group of methods, by the prefix of their names; imported on first use, so that the handshake does not wait for it. */
const KINDS: ReadonlyMap<string, OpenKinds> = new Map<string, OpenKinds>([
  ['tools', async (host, session, writeFolders) => (await import('./call-tool.ts')).toolRequests({ host, session, writeFolders })],
  ['resources', async (host, session) => (await import('./resources.ts')).resourceRequests(host, session)],
  ['prompts', async (host) => (await import('./prompts.ts')).promptRequests(host)],
  ['completion', async (host, session) => (await import('./completions.ts')).completionRequests(host, session)],
]);

/** Creates the surface for one client. */
export function createSurface(host: Host, caller: Caller): Surface {
  const { name, version, config } = host;
  const session = host.openSession({ ...caller, answersEarly: true });
  const { writeFolders } = caller.configured ?? { writeFolders: config.writes.folders ?? null };
  const opened = new Map<string, Promise<readonly RequestKind[]>>();
  const kindsLike = async (method: string): Promise<readonly RequestKind[]> => {
    const [group = ''] = method.split('/');
    const open = KINDS.get(group);
    if (open === undefined) return [];
    const kinds = opened.get(group) ?? open(host, session, writeFolders);
    opened.set(group, kinds);
    return kinds;
  };
  return {
    info: { name, version, title: 'roux' },
    capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {}, completions: {} },
    instructions: toInstructions(chooseToolsets(config), { isReadOnly: config.readOnly, writeFolders }),
    methods: METHODS,
    async answer(method, params, context) {
      const kind = (await kindsLike(method)).find((each) => each.method === method);
      if (kind === undefined) throw new ProtocolFault(FAULTS.methodNotFound, 'Method not found');
      return answerRequest(kind, params, context);
    },
    requireFollowable,
    follow: (listener) => followResources(session, config.memory.root, listener),
  };
}
