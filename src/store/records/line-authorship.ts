import type { FileSystem } from '../folder/file-system.ts';
import { readAllowed } from '../folder/system-error.ts';
import { removeIfThere, writeNewFile } from '../folder/write-file.ts';
import type { LineMarks, Origin } from '../origin.ts';
import { readIntent } from '../transaction/intent.ts';
import { listPacks, readPack } from './compact/packs.ts';
import { readMark, whoseLine } from './line-chain.ts';
import type { LineAuthorship } from './line-chain.ts';
import { linesOf, listSegments, MAX_SEGMENT_BYTES } from './segment-lines.ts';
import { encodeSigned, readSigned } from './signed-file.ts';

/** In the batches folder, which git ignores; compaction leaves it alone. */
const EARLIER = 'earlier-lines';
const MAX_BATCHES = 16;

/**
 * Determines which lines in a folder of segments were written here. New lines carry a mark (`line-chain`). Lines from versions before marks
 * count as own if this user wrote to the vault in this folder before; their checksums are saved in a signed file before the first marked
 * line is appended, so no unmarked line that is added later counts. `batches` is the folder of finished transactions.
 */
export function createLineAuthorship(
  files: FileSystem,
  origin: Origin,
  { folder, batches, isSynced }: { readonly folder: string; readonly batches: string; readonly isSynced: boolean },
): LineAuthorship {
  const place = { path: `${batches}/${EARLIER}`, label: 'earlier lines' };
  let marks: LineMarks | null = null;
  let earlier: ReadonlySet<string> | null = null;
  let isSettled = false;
  /** Which kinds of lines were read so far. The end of the history is read before the first append. */
  const seen = { marked: false, unmarked: false };

  const ownMarks = (): LineMarks => (marks ??= origin.lineMarks());

  /** Returns the checksums of own lines without a mark; reads them once. */
  const earlierLines = (): ReadonlySet<string> => (earlier ??= readEarlier() ?? findEarlier());

  function readEarlier(): ReadonlySet<string> | null {
    const found = readSigned(files, place, origin);
    return found.kind === 'ours' ? new Set(found.body.toString('latin1').split('\n')) : null;
  }

  /** Returns the checksums of all lines if none has a mark and this user wrote here before; else an empty set. */
  function findEarlier(): ReadonlySet<string> {
    if (!hasOwnBatch()) return new Set();
    const sums = new Set<string>();
    for (const name of listSegments(files, folder).toReversed()) {
      const bytes = readAllowed(files, `${folder}/${name}`, { length: MAX_SEGMENT_BYTES })?.bytes;
      for (const line of linesOf(bytes?.toString('utf8') ?? '')) {
        if (line === '') continue;
        if (whoseLine(line, ownMarks()) !== 'none') return new Set();
        sums.add(readMark(line).sum);
      }
    }
    return sums;
  }

  /** Whether a recent batch was written here. */
  function hasOwnBatch(): boolean {
    const loose = (files.list(batches) ?? []).filter(({ name, kind }) => kind === 'file' && name.endsWith('.json'));
    for (const { name } of loose.slice(-MAX_BATCHES)) if (readIntent(files, `${batches}/${name}`, origin)?.isOurs === true) return true;
    return listPacks(files, batches)
      .slice(-MAX_BATCHES)
      .some(({ name }) => typeof readPack(files, { folder: batches, name }, origin) !== 'string');
  }

  return {
    recognizer() {
      const known = ownMarks();
      return (line) => {
        const whose = whoseLine(line, known);
        seen[whose === 'none' ? 'unmarked' : 'marked'] = true;
        return whose === 'own' || (whose === 'none' && earlierLines().size > 0 && earlierLines().has(readMark(line).sum));
      };
    },
    async marks() {
      if (!isSettled && seen.unmarked && !seen.marked && readEarlier() === null) {
        // Read again under the lock: the file may have grown since.
        earlier = findEarlier();
        if (earlier.size > 0) await keep(earlier);
      }
      isSettled = true;
      return ownMarks();
    },
  };

  async function keep(sums: ReadonlySet<string>): Promise<void> {
    const staged = `${place.path}.new`;
    removeIfThere(files, staged);
    const bytes = encodeSigned(place.label, Buffer.from([...sums].join('\n'), 'latin1'), origin);
    await writeNewFile(files, { path: staged, bytes, like: null, isSynced });
    files.rename(staged, place.path);
    if (isSynced) await files.syncFolder(batches);
  }
}
