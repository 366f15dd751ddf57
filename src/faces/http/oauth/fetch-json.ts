import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isInside } from './inside-addresses.ts';

const MAX_DOCUMENT_BYTES = 64 * 1024;
const MAX_FETCH_MS = 5_000;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** What a test replaces: how names are resolved, which addresses are refused, and the certificates that are trusted. */
export interface FetchOptions extends Pick<RequestOptions, 'ca'> {
  readonly lookup?: LookupFunction;
  readonly isRefused?: (address: string) => boolean;
  readonly maxMs?: number;
}

/**
 * Fetches a JSON document that a stranger has named, over https. Follows no redirect, sends nothing but the request, and connects to public
 * addresses only: the address that was checked is the one that is connected to, so that a name cannot change its meaning in between.
 */
export function fetchJson(
  url: URL,
  { lookup = systemLookup, isRefused = isInside, maxMs = MAX_FETCH_MS, ca }: FetchOptions = {},
): Promise<unknown> {
  if (url.protocol !== 'https:') return Promise.reject(new Error('only https is fetched'));
  // A literal address is not looked up, and no program is described by one.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return Promise.reject(new Error('an address in place of a name is not fetched'));
  const lookUpPublic: LookupFunction = (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      const addresses: readonly LookupAddress[] = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : (found ?? []);
      const [first] = addresses;
      if (error !== null) callback(error, '');
      else if (first === undefined || addresses.some(({ address }) => isRefused(address)))
        callback(new Error('its name leads to an inside address'), '');
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  return new Promise((resolve, reject) => {
    const headers = { Accept: 'application/json', 'User-Agent': 'roux' };
    const asked = request(url, { lookup: lookUpPublic, agent: false, headers, ...(ca === undefined ? {} : { ca }) });
    const fail = (why: string): void => {
      reject(new Error(why));
      asked.destroy();
    };
    const timer = setTimeout(() => fail(`no answer within ${maxMs / 1000} seconds`), maxMs);
    asked.once('close', () => clearTimeout(timer));
    asked.on('error', reject);
    asked.once('socket', (socket) =>
      socket.once('connect', () => {
        if (isRefused(socket.remoteAddress ?? '')) fail('an inside address answers');
      }),
    );
    asked.once('response', (response) => {
      const { statusCode, headers: answered } = response;
      if (statusCode !== 200) return fail(`it has status ${statusCode} instead of the document`);
      if (!JSON_TYPE.test(answered['content-type'] ?? '')) return fail('it is not JSON');
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_DOCUMENT_BYTES) fail(`it has more than ${MAX_DOCUMENT_BYTES} bytes`);
        else chunks.push(chunk);
      });
      response.once('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        } catch {
          fail('it is not valid JSON');
        }
      });
      return undefined;
    });
    asked.end();
  });
}
