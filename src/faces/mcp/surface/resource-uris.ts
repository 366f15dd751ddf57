import { shorten } from '../../../ops/shorten.ts';
import { FAULTS, ProtocolFault } from './request.ts';

const NOTE = 'roux://note/';

export const NOTE_TEMPLATE = `${NOTE}{path}`;
export const VAULT = 'roux://vault';
export const MEMORY = 'memory://knowledge-graph';

/** So many characters of an address are repeated in an error. */
export const MAX_URI_CHARACTERS = 300;

/** The address of a note, as it is listed: each part of its path percent-encoded. */
export function toUri(path: string): string {
  return NOTE + path.split('/').map(encodeURIComponent).join('/');
}

/** The path of a note in an address, in whichever way it is encoded; null where it is no address of a note. */
export function toPath(uri: string): string | null {
  if (!uri.startsWith(NOTE)) return null;
  try {
    return decodeURIComponent(uri.slice(NOTE.length));
  } catch {
    // Not percent-encoded as a URI has to be.
    return null;
  }
}

/** The ways in which clients write the address of a note: as it is listed, as the template gives it, as browsers do, and as it is. */
export function spellings(path: string): readonly string[] {
  return [...new Set([toUri(path), NOTE + encodeURIComponent(path), NOTE + encodeURI(path), NOTE + path])];
}

/** Refuses to follow what is no resource of this server, there now or later. */
export function mustBeFollowable(uri: string): void {
  if (uri === VAULT || uri === MEMORY || toPath(uri) !== null) return;
  throw new ProtocolFault(FAULTS.invalidParams, `Cannot subscribe to ${shorten(uri, MAX_URI_CHARACTERS)}.`);
}
