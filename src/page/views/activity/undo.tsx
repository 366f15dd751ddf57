import { ask, askWithWarnings } from '../../api.ts';
import { confirm } from '../../parts/dialog.tsx';
import { Diff } from '../../parts/diff.tsx';
import { sayFailedChange } from '../../parts/failed-change.ts';
import { session } from '../../session.ts';
import type { Entry, UndoPreview } from './entries.ts';

/** Asks whether a write is to be taken back, showing what that does; then tells what came of it. */
export async function undoWrite(entry: Entry, tell: (text: string, isBad: boolean) => void): Promise<void> {
  const { batch } = entry;
  let isSent = false;
  try {
    const preview = await ask<UndoPreview>('undo_preview', { batch });
    if (preview.file_count === 0) return tell('There is nothing left of this write to take back.', false);
    const isAgreed = await confirm({
      title: 'Take this write back?',
      body: <WhatHappens preview={preview} />,
      action: 'Undo the write',
      isDangerous: true,
    });
    if (!isAgreed) return;
    isSent = true;
    const { result, warnings } = await askWithWarnings<{
      readonly batch: string | null;
      readonly files: readonly { readonly changed: boolean }[];
      readonly warnings: readonly string[];
    }>('undo', { batch });
    const count = result.files.filter(({ changed }) => changed).length;
    const said = [...new Set([...result.warnings, ...warnings])].join(' ');
    tell(
      result.batch === null
        ? 'There was nothing left to take back.'
        : `Taken back: ${count === 1 ? 'one file is' : `${count} files are`} as before. It stands above as a write of yours, and can be undone too. ${said}`.trim(),
      false,
    );
  } catch (error) {
    tell(sayFailedChange(error, isSent), true);
  }
}

function WhatHappens({ preview }: { readonly preview: UndoPreview }) {
  const { files, file_count: all, warnings } = preview;
  return (
    <>
      <p>
        {all === 1 ? 'This file changes' : `These ${all} files change`}, in the name of <bdi>{session.value?.person ?? ''}</bdi>. What was
        changed since stays where both can be merged.
      </p>
      {warnings.length === 0 ? null : (
        <div class="warning">
          Afterwards:
          <ul>
            {warnings.map((warning) => (
              <li key={warning} dir="auto">
                {warning}
              </li>
            ))}
          </ul>
        </div>
      )}
      {files.map((file) => (
        <details key={file.path} class="undo-file" open={files.length <= 3}>
          <summary>
            {file.was === undefined ? null : (
              <>
                <bdi>{file.was}</bdi> →{' '}
              </>
            )}
            <bdi>{file.path}</bdi> <strong>{SAID[file.kind]}</strong>
          </summary>
          <Diff diff={file.diff} />
        </details>
      ))}
      {files.length < all ? <p class="quiet">and {all - files.length} more files</p> : null}
    </>
  );
}

const SAID: Readonly<Record<UndoPreview['files'][number]['kind'], string>> = {
  'comes back': 'comes back',
  goes: 'goes to the trash',
  changes: 'changes',
  moves: 'moves back',
};
