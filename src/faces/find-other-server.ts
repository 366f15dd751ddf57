import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Host, RunningServer } from './host.ts';
import { isProof } from './running-server.ts';

/** A server that takes longer is treated as absent. */
const MAX_ANSWER_WAIT_MS = 2_000;
const MAX_ANSWER_CHARACTERS = 10_000;

/** Whether the process that listens at a server's address is that server. Reveals nothing to it. */
async function verifyServer(server: RunningServer): Promise<boolean> {
  const nonce = randomBytes(24).toString('base64url');
  const { proof } = await requestJson(server, `/api/proof?nonce=${nonce}`);
  return typeof proof === 'string' && isProof(server.key, nonce, proof);
}

/** Returns the address of another server of this user that serves the same vault; null if there is none. */
export async function findOtherServer({ serverFiles }: Pick<Host, 'serverFiles'>): Promise<string | null> {
  const other = serverFiles.running();
  return other !== null && other.pid !== process.pid && (await verifyServer(other)) ? other.url : null;
}

/** Requests a short JSON object; empty if the request fails or the answer is something else. */
function requestJson({ url }: RunningServer, path: string): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const none = (): void => resolve({});
    // Limits the whole answer, so that a slow one does not delay the start.
    const sent = request(`${url}${path}`, { signal: AbortSignal.timeout(MAX_ANSWER_WAIT_MS), agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.length > MAX_ANSWER_CHARACTERS) sent.destroy();
      });
      response.on('end', () => resolve(response.statusCode === 200 ? parseObject(text) : {}));
      response.on('error', none);
    });
    sent.on('error', none);
    sent.on('close', none);
    sent.end();
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
