import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { Host } from '../../host.ts';
import { settingsKey } from '../../running-server.ts';
import type { HttpContext } from '../env.ts';
import { OWNER } from '../guard.ts';
import { answerError, answerJson } from './answer.ts';
import { readBody, readJson } from './read-body.ts';

const MAX_BYTES = 65_536;

const self = z.object({
  version: z.string(),
  configFolder: z.string(),
  flags: z.array(z.object({ source: z.string(), key: z.string(), value: z.union([z.string(), z.boolean()]) })),
  env: z.record(z.string(), z.string()),
});

/**
 * `POST /api/relay`: answers whether a process that this user starts on the vault would behave like this server, and the name that its
 * settings give to its client. The process sends its flags and environment; both read the same settings files (V-08).
 */
export async function answerRelay(host: Host, context: HttpContext): Promise<Response> {
  try {
    const given = self.safeParse(readJson(await readBody(context, MAX_BYTES), '{"version", "configFolder", "flags", "env"}'));
    if (context.env.access.name !== OWNER.name || !given.success)
      throw new RouxError('FORBIDDEN', 'This is for "roux mcp" of the user who runs the server.');
    const config = given.data.version === host.version ? await host.settingsFor(given.data) : null;
    if (config === null || settingsKey(config) !== settingsKey(host.config))
      throw new RouxError('CONFLICT', 'This server was started in another version, or with other settings.');
    return answerJson(context, { agent: config.agent ?? null });
  } catch (error) {
    return answerError(context, error);
  }
}
