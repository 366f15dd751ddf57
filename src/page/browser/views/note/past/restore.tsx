import { callOperation } from '../../../api.ts';
import { confirm } from '../../../parts/dialog.tsx';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { showToast } from '../../../parts/toast.tsx';
import { navigate, noteAddress } from '../../../router.ts';
import { undoWrite } from '../../activity/undo.tsx';
import type { VersionName } from './versions.ts';

/** Restores a version after the user has agreed, and offers to undo it. `etag`: that of the present note as it was shown. */
export async function askToRestore(name: VersionName, { etag, when }: { readonly etag: string; readonly when: string }): Promise<void> {
  const isAgreed = await confirm({
    title: 'Restore this version?',
    body: <p>The note gets the text that it had {when}. Its present text stays in the history, and you can undo this.</p>,
    action: 'Restore this version',
  });
  if (isAgreed) await restore({ ...name, if_match: etag }, 'Restored.');
}

/** Brings a deleted note back. */
export function restoreDeleted(name: VersionName): Promise<void> {
  return restore(name, 'The note is back.');
}

async function restore(args: VersionName & { readonly if_match?: string }, done: string): Promise<void> {
  try {
    const { path, batch, warnings } = await callOperation('restore_version', args);
    navigate(noteAddress(path));
    showToast(
      batch === null
        ? { text: 'The note has this text already.' }
        : { text: [done, ...warnings].join(' '), action: { label: 'Undo', run: () => void undo(batch) } },
    );
  } catch (error) {
    showFailedChange(error);
  }
}

function undo(batch: string): Promise<void> {
  return undoWrite(batch, (text, isBad) => showToast({ text, isBad }));
}
