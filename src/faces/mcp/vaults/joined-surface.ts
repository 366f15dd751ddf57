import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../ops/session.ts';
import { chooseToolsets } from '../../../ops/toolsets.ts';
import { shorten } from '../../../ops/shorten.ts';
import type { Host } from '../../host.ts';
import { nameVaults } from '../../vault-names.ts';
import { describeFolders, toInstructions } from '../surface/instructions.ts';
import { answerRequest, FAULTS, ProtocolFault } from '../surface/request.ts';
import type { RequestKind } from '../surface/request.ts';
import { createSurface } from '../surface/surface.ts';
import type { CreateSurface, Surface } from '../surface/surface.ts';
import { followAll, requireFollowable, resourceRequests } from './joined-resources.ts';
import { completionRequests, promptRequests } from './joined-prompts.ts';
import { toolRequests } from './joined-tools.ts';
import type { JoinedVault } from './joined-vault.ts';

/** Names are listed in the instructions up to this length; each tool lists them all. */
const MAX_NAMES_CHARACTERS = 300;

/**
 * Joins vaults into what one client is offered: the tools of them all, each with `vault`, the name of the one that a call is about. Every
 * request goes to the surface of that vault alone, so that nothing of two vaults meets here but their lists.
 */
export function joinVaults(hosts: readonly Host[]): CreateSurface {
  const names = nameVaults(hosts.map(({ root }) => root));
  return (_, caller: Caller): Surface => {
    const vaults = hosts.map((host, at): JoinedVault => ({ name: names[at] ?? '', host, surface: createSurface(host, caller) }));
    const kinds: ReadonlyMap<string, RequestKind> = new Map(
      [...toolRequests(vaults), ...resourceRequests(vaults), ...promptRequests(vaults), ...completionRequests(vaults)].map((kind) => [
        kind.method,
        kind,
      ]),
    );
    const [first] = vaults;
    if (first === undefined) throw new Error('No vault is served.');
    const { info, capabilities, methods } = first.surface;
    return {
      info,
      capabilities,
      methods,
      instructions: joinInstructions(vaults),
      async answer(method, params, context) {
        const kind = kinds.get(method);
        if (kind === undefined) throw new ProtocolFault(FAULTS.methodNotFound, 'Method not found');
        return answerRequest(kind, params, context);
      },
      requireFollowable: (uri) => requireFollowable(vaults, uri),
      follow: (listener) => followAll(vaults, listener),
    };
  };
}

function joinInstructions(vaults: readonly JoinedVault[]): string {
  const listed = (some: readonly JoinedVault[]): string => shorten(some.map(({ name }) => name).join(', '), MAX_NAMES_CHARACTERS);
  const readOnly = vaults.filter(({ host }) => host.config.readOnly);
  const isReadOnly = readOnly.length === vaults.length;
  const folders = vaults.map(({ host }) => host.config.writes.folders ?? null);
  const isSame = folders.every((each) => isDeepStrictEqual(each, folders[0]));
  const describe = (name: string, { config: { writes } }: Host): readonly string[] =>
    writes.folders === undefined ? [] : [`In ${name}: ${describeFolders(writes.folders)}`];
  const toolsets = new Set(vaults.flatMap(({ host }) => [...chooseToolsets(host.config)]));
  return [
    `This server has ${vaults.length} vaults: ${listed(vaults)}. Every tool takes vault, the name of the one that the call is about; to ask several, call the tool for each. Ids, projects and memory of one are unknown in the others.`,
    ...(readOnly.length === 0 || isReadOnly ? [] : [`Read-only: ${listed(readOnly)}.`]),
    ...(isSame ? [] : vaults.flatMap(({ name, host }) => describe(name, host))),
    toInstructions(toolsets, { isReadOnly, writeFolders: isSame ? (folders[0] ?? null) : null }),
  ].join('\n');
}
