import { basename } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import { chooseToolsets } from '../../../ops/toolsets.ts';
import { isLoopback } from '../guard.ts';
import { findOtherServer } from '../../find-other-server.ts';
import type { Host } from '../../host.ts';
import type { AmongVaults } from '../../vault-names.ts';
import type { HttpContext } from '../env.ts';
import { answerError, answerJson } from './answer.ts';
import type { Callers } from './callers.ts';
import { readBody, readJson } from './read-body.ts';

const MAX_TICKET_CHARACTERS = 4_096;

interface Server {
  readonly host: Host;
  readonly callers: Callers;
  readonly among: AmongVaults | null;
}

/** `GET /api/session`. */
export async function answerSession(server: Server, context: HttpContext): Promise<Response> {
  return answerJson(context, await describeSession(server, context));
}

/** Returns who the caller is, what it may do, and which toolsets exist. */
export async function describeSession({ host, callers, among }: Server, context: HttpContext) {
  const { config, version, root } = host;
  return {
    ...context.env.access,
    person: callers.personOf(context),
    readOnly: config.readOnly,
    version,
    vault: among?.name ?? basename(root),
    /** The vaults of this server, for the owner. Other tokens are of this vault alone, and do not learn what else there is. */
    ...(among === null || context.env.access.name !== 'owner' ? {} : { vaults: among.all }),
    toolsets: [...chooseToolsets(config)],
    editors: editorsOf(host, context),
    /** The address of another server of the same vault, for the owner. */
    otherServer: context.env.access.name === 'owner' ? await findOtherServer(host) : null,
  };
}

/**
 * Returns the editors on this machine that can open a note, as URLs in which `{path}` stands for its percent-encoded path. Only the owner
 * is shown where the vault is.
 */
function editorsOf({ root, config }: Host, { env: { access } }: HttpContext): readonly { readonly name: string; readonly url: string }[] {
  if (!isLoopback(config.http.host)) return [];
  const obsidian = { name: 'Obsidian', url: `obsidian://open?vault=${encodeURIComponent(basename(root))}&file={path}` };
  if (access.name !== 'owner') return [obsidian];
  const folder = root.split(/[/\\]/).map(encodeURIComponent).join('/');
  return [obsidian, { name: 'VS Code', url: `vscode://file${folder.startsWith('/') ? '' : '/'}${folder}/{path}` }];
}

/** `POST /api/ticket` with `{"ticket"}`: exchanges a ticket for the token. Tickets can be logged, because they expire soon. */
export async function answerTicket(redeem: (ticket: string) => string | null, context: HttpContext): Promise<Response> {
  try {
    const body = readJson(await readBody(context, MAX_TICKET_CHARACTERS), '{"ticket": "…"}');
    const token = isRecord(body) && typeof body['ticket'] === 'string' ? redeem(body['ticket']) : null;
    if (token === null)
      throw new RouxError('FORBIDDEN', 'This ticket is not, or no longer, good for anything. "roux token" tells where the token is.');
    return answerJson(context, { token });
  } catch (error) {
    return answerError(context, error);
  }
}
