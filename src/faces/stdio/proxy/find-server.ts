import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { GivenSettings, RunningServer } from '../../host.ts';
import { isProof } from '../../running-server.ts';

/** So long a server may take: one that does not answer is as good as none. */
const ANSWER_TIMEOUT_MS = 2_000;
const MAX_ANSWER_CHARACTERS = 10_000;

/** What a process that hands its client's messages on would be, if it opened the vault itself. */
export interface Self extends GivenSettings {
  readonly version: string;
}

/** A server that answers as this process would, and what this process's own settings call its client. */
export interface Found {
  readonly server: RunningServer;
  readonly configured: string | null;
}

/**
 * Whether the server that left its address answers as this process would: the same version with the same settings. Whoever listens
 * there now proves that it is the one that left it, before it is told anything. Null where it is not, or does not.
 */
export async function agreeWith(server: RunningServer, self: Self): Promise<Found | null> {
  if (!(await provesItself(server))) return null;
  const { agent } = await ask(server, { path: '/api/relay', body: JSON.stringify(self) });
  return typeof agent === 'string' || agent === null ? { server, configured: agent } : null;
}

/** Whether whoever listens at the address of a server is that server. Tells it nothing. */
export async function provesItself(server: RunningServer): Promise<boolean> {
  const nonce = randomBytes(24).toString('base64url');
  const { proof } = await ask(server, { path: `/api/proof?nonce=${nonce}` });
  return typeof proof === 'string' && isProof(server.key, nonce, proof);
}

/** A short answer; empty where nobody answers, or in other words. */
function ask(
  { url, key }: RunningServer,
  { path, body }: { readonly path: string; readonly body?: string },
): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const none = (): void => resolve({});
    const sent = request(
      `${url}${path}`,
      {
        method: body === undefined ? 'GET' : 'POST',
        // The whole of it: who answers drop by drop holds nobody up.
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
        agent: false,
        // Only who has proved to be the server is shown the key.
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
        response.on('end', () => resolve(response.statusCode === 200 ? read(text) : {}));
        response.on('error', none);
      },
    );
    sent.on('error', none);
    sent.on('close', none);
    sent.end(body);
  });
}

function read(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
