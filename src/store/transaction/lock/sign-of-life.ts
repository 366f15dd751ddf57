import type { FileSystem } from '../../folder/file-system.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { readAllowed } from '../../folder/read-allowed.ts';
import { MAX_TICKET_BYTES, parseRecord } from './ticket.ts';

/** How long a waiter has seen the same holder without a sign of life. */
export interface Observed {
  sign: string;
  since: number;
}

const SILENT_HOLDER_MS = 15_000;
/** A ticket without content is written in one step unless its writer died in between. */
const SILENT_DRAFT_MS = 2_000;

/** Whether the holder is gone: dead here, or without a sign of life where it cannot be looked at. */
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
