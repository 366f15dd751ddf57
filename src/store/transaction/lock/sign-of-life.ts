import type { FileSystem } from '../../folder/file-system.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { readAllowed } from '../../folder/read-allowed.ts';
import { MAX_TICKET_BYTES, parseRecord } from './ticket.ts';

/** The last sign of life of a holder that a waiter saw, and since when. */
export interface Observed {
  sign: string;
  since: number;
}

const SILENT_HOLDER_MS = 15_000;
/** A ticket is only without content for an instant, unless its writer died. */
const SILENT_DRAFT_MS = 2_000;

/** Returns whether the holder is gone: its process is dead, or gave no sign of life for long if that cannot be known. */
export function isAbandoned(
  { files, self }: { readonly files: FileSystem; readonly self: ProcessIdentity },
  path: string,
  observed: Observed,
): boolean {
  const state = files.stat(path);
  if (state === null) return false;
  const found = readAllowed(files, path, { length: MAX_TICKET_BYTES });
  const record = found === null ? null : parseRecord(found.bytes);
  const liveness = record === null ? 'unknown' : self.liveness(record);
  if (liveness !== 'unknown') return liveness === 'dead';
  const { ino, mtimeNs } = state;
  if (record === null && files.now() - Number(mtimeNs / 1_000_000n) > SILENT_HOLDER_MS) return true;
  const sign = `${path} ${ino} ${mtimeNs}`;
  if (observed.sign !== sign) {
    observed.sign = sign;
    observed.since = performance.now();
  }
  return performance.now() - observed.since > (record === null ? SILENT_DRAFT_MS : SILENT_HOLDER_MS);
}
