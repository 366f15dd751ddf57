import { basename } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import { chooseToolsets } from '../../../ops/toolsets.ts';
import { isLoopback } from '../guard.ts';
import type { Host } from '../../host.ts';
import type { HttpContext } from '../env.ts';
import { answerError, answerJson } from './answer.ts';
import type { Callers } from './callers.ts';
import { readBody, readJson } from './read-body.ts';

/** A ticket is short. */
const MAX_TICKET_CHARACTERS = 4_096;

/** `GET /api/session`: who the caller is and what it may do, and what there is to ask for. */
export function answerSession({ host, callers }: { readonly host: Host; readonly callers: Callers }, context: HttpContext): Response {
  const { access } = context.env;
  const { config, version, root } = host;
  return answerJson(context, {
    ...access,
    person: callers.personOf(context),
    readOnly: config.readOnly,
    version,
    vault: basename(root),
    toolsets: [...chooseToolsets(config)],
    editors: editorsOf(host, context),
  });
}

/** Where a note opens in an editor of this machine: `{path}` is its path, percent-encoded. Where the vault lies is told to its owner alone. */
function editorsOf({ root, config }: Host, { env: { access } }: HttpContext): readonly { readonly name: string; readonly url: string }[] {
  if (!isLoopback(config.http.host)) return [];
  const obsidian = { name: 'Obsidian', url: `obsidian://open?vault=${encodeURIComponent(basename(root))}&file={path}` };
  if (access.name !== 'owner') return [obsidian];
  const folder = root.split(/[/\\]/).map(encodeURIComponent).join('/');
  return [obsidian, { name: 'VS Code', url: `vscode://file${folder.startsWith('/') ? '' : '/'}${folder}/{path}` }];
}

/** `POST /api/ticket` `{"ticket"}`: the token for what a log may hold, within some minutes of the start of the server. */
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
