import type { Caller } from '../../../ops/session.ts';
import { chooseToolsets } from '../../../ops/toolsets.ts';
import type { Host } from '../../host.ts';
import { toInstructions } from './instructions.ts';
import type { Answered, RequestContext } from './request.ts';
import { Answers } from './answers.ts';
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
  /** Answers a request whose parameters have not been validated. Rejects with a `ProtocolFault`. */
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

/** Creates the surface for one client. What answers requests is imported by the first one, so that the handshake does not wait for it. */
export function createSurface(host: Host, caller: Caller): Surface {
  const { name, version, config } = host;
  const session = host.openSession({ ...caller, answersEarly: true });
  const { writeFolders } = caller.configured ?? { writeFolders: config.writes.folders ?? null };
  const answers = new Answers(host, session, writeFolders);
  return {
    info: { name, version, title: 'roux' },
    capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {}, completions: {} },
    instructions: toInstructions(chooseToolsets(config), { isReadOnly: config.readOnly, writeFolders }),
    methods: METHODS,
    answer: (method, params, context) => answers.answer(method, params, context),
    requireFollowable,
    follow: (listener) => followResources(session, config.memory.root, listener),
  };
}
