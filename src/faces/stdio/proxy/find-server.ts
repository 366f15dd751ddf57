import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { GivenSettings, Host, RunningServer } from '../../host.ts';
import { isProof } from '../../running-server.ts';

/** A server that takes longer is treated as absent. */
const MAX_ANSWER_WAIT_MS = 2_000;
const MAX_ANSWER_CHARACTERS = 10_000;

/** The version and settings that a relaying process would use if it opened the vault itself. */
export interface OwnSettings extends GivenSettings {
  readonly version: string;
}

/** A server that answers as this process would, and the name that this process's settings give its client. */
export interface CompatibleServer {
  readonly server: RunningServer;
  readonly configured: string | null;
}

/**
 * Returns the server if it answers as this process would: with the same version and settings. Before anything is sent, whatever listens at
 * its address must prove that it is that server. Null if it does not, or answers differently.
 */
export async function checkCompatible(server: RunningServer, own: OwnSettings): Promise<CompatibleServer | null> {
  if (!(await verifyServer(server))) return null;
  const { agent } = await requestJson(server, { path: '/api/relay', body: JSON.stringify(own) });
  return typeof agent === 'string' || agent === null ? { server, configured: agent } : null;
}

/** Whether the process that listens at a server's address is that server. Reveals nothing to it. */
export async function verifyServer(server: RunningServer): Promise<boolean> {
  const nonce = randomBytes(24).toString('base64url');
  const { proof } = await requestJson(server, { path: `/api/proof?nonce=${nonce}` });
  return typeof proof === 'string' && isProof(server.key, nonce, proof);
}

/** Returns the address of another server of this user that serves the same vault; null if there is none. */
export async function findOtherServer({ serverFiles }: Pick<Host, 'serverFiles'>): Promise<string | null> {
  const other = serverFiles.running();
  return other !== null && other.pid !== process.pid && (await verifyServer(other)) ? other.url : null;
}

/** Requests a short JSON object; empty if the request fails or the answer is something else. */
function requestJson(
  { url, key }: RunningServer,
  { path, body }: { readonly path: string; readonly body?: string },
): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const none = (): void => resolve({});
    const sent = request(
      `${url}${path}`,
      {
        method: body === undefined ? 'GET' : 'POST',
        // Limits the whole answer, so that a slow one does not delay the start.
        signal: AbortSignal.timeout(MAX_ANSWER_WAIT_MS),
        agent: false,
        // Requests with a body are only sent after the server has been verified, and only they reveal the key.
        headers:
          body === undefined
            ? {}
            : { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.length > MAX_ANSWER_CHARACTERS) sent.destroy();
        });
        response.on('end', () => resolve(response.statusCode === 200 ? parseObject(text) : {}));
        response.on('error', none);
      },
    );
    sent.on('error', none);
    sent.on('close', none);
    sent.end(body);
  });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
