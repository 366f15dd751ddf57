import { shorten } from '../../../ops/shorten.ts';
import { FAULTS, ProtocolFault } from './request.ts';

const NOTE = 'roux://note/';

export const NOTE_TEMPLATE = `${NOTE}{path}`;
export const VAULT = 'roux://vault';
export const MEMORY = 'memory://knowledge-graph';

/** A URI is repeated in an error up to this length. */
export const MAX_URI_CHARACTERS = 300;

/** Returns the URI of a note as it is listed, with each segment of the path percent-encoded. */
export function toUri(path: string): string {
  return NOTE + path.split('/').map(encodeURIComponent).join('/');
}

/** Returns the path in a note's URI, however it is encoded; null if the URI is not a note's. */
export function toPath(uri: string): string | null {
  if (!uri.startsWith(NOTE)) return null;
  try {
    return decodeURIComponent(uri.slice(NOTE.length));
  } catch {
    // Invalid percent-encoding.
    return null;
  }
}

/** Returns the URIs that clients may use for a note: as listed, as expanded from the template, as browsers encode it, and unencoded. */
export function listUriSpellings(path: string): readonly string[] {
  return [...new Set([toUri(path), NOTE + encodeURIComponent(path), NOTE + encodeURI(path), NOTE + path])];
}

/** Throws if a URI cannot be a resource of this server, whether or not it exists now. */
export function requireFollowable(uri: string): void {
  if (uri === VAULT || uri === MEMORY || toPath(uri) !== null) return;
  throw new ProtocolFault(FAULTS.invalidParams, `Cannot subscribe to ${shorten(uri, MAX_URI_CHARACTERS)}.`);
}
