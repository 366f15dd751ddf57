import { setImmediate } from 'node:timers/promises';
import { isSameState } from '../../folder/file-system.ts';
import { removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import { FULL_BYTES, isSegmentPacked, listSegments, MAX_SEGMENT_BYTES, mayBeWritten } from '../segment-lines.ts';
import { isOld, stagedName } from './compact-access.ts';
import type { CompactAccess } from './compact-access.ts';
import { packLines } from './packed-lines.ts';

/** Packs the lines of full segments. The last segment is still appended to. Stops early when the signal is aborted. */
export async function packSegments(access: CompactAccess, folder: string, signal: AbortSignal): Promise<void> {
  const { files } = access;
  for (const name of listSegments(files, folder).slice(0, -1)) {
    await setImmediate();
    if (signal.aborted) return;
    const path = `${folder}/${name}`;
    const state = files.stat(path);
    if (state === null || state.size < FULL_BYTES || state.size > MAX_SEGMENT_BYTES || !mayBeWritten(state)) continue;
    if (isSegmentPacked(files, path)) continue;
    const found = files.read(path, { length: MAX_SEGMENT_BYTES });
    if (found === null || !isOld(access, timeOfLastLine(found.bytes))) continue;
    const bytes = await packLines(found.bytes);
    if (bytes.length >= found.bytes.length) continue;
    const staged = stagedName(access);
    try {
      await writeNewFile(files, { path: staged, bytes, like: state, isSynced: true });
      await access.underLock(async (held, lock) => {
        await lock.check();
        const now = held.stat(path);
        if (now === null || !isSameState(now, state)) return;
        held.rename(staged, path);
        await held.syncFolder(folder);
      });
    } finally {
      removeIfThere(files, staged);
    }
  }
}

/** Returns the time of a segment's last line in milliseconds; null when the line is incomplete or has no valid time. */
function timeOfLastLine(bytes: Buffer): number | null {
  if (bytes.at(-1) !== 0x0a) return null;
  const last = bytes.toString('utf8', bytes.lastIndexOf(0x0a, bytes.length - 2) + 1);
  const [, timestamp] = /"timestamp":"([^"]+)"/.exec(last) ?? [];
  const time = Date.parse(timestamp ?? '');
  return Number.isNaN(time) ? null : time;
}
