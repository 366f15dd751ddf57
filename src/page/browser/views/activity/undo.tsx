import { callOperation, callWithWarnings } from '../../api.ts';
import { confirm } from '../../parts/dialog.tsx';
import { Diff } from '../../parts/diff.tsx';
import { formatCount } from '../../parts/files/count.ts';
import { describeFailedChange } from '../../parts/failed-change.ts';
import { session } from '../../session.ts';
import type { Result } from '../../operations.ts';

type UndoPreview = Result<'undo_preview'>;

const EFFECT_WORDS: Readonly<Record<UndoPreview['files'][number]['kind'], string>> = {
  'comes back': 'comes back',
  goes: 'goes to the trash',
  changes: 'changes',
  moves: 'moves back',
};

/** Undoes a write after the user has confirmed a preview, then reports the outcome. */
export async function undoWrite(batch: string, report: (text: string, isBad: boolean) => void): Promise<void> {
  let isSent = false;
  try {
    const preview = await callOperation('undo_preview', { batch });
    if (preview.file_count === 0) return report('There is nothing left of this change to undo.', false);
    const isAgreed = await confirm({
      title: 'Undo this change?',
      body: <UndoEffect preview={preview} />,
      action: 'Undo the change',
      isDangerous: true,
    });
    if (!isAgreed) return;
    isSent = true;
    const { result, warnings } = await callWithWarnings('undo', { batch });
    const count = result.files.filter(({ changed }) => changed).length;
    const warningText = [...new Set([...result.warnings, ...warnings])].join(' ');
    report(
      result.batch === null
        ? 'There was nothing left to undo.'
        : `Undone in ${count === 1 ? 'one file' : `${count} files`}. You can undo this too: it is listed as a change of yours. ${warningText}`.trim(),
      false,
    );
  } catch (error) {
    report(describeFailedChange(error, isSent), true);
  }
}

function UndoEffect({ preview }: { readonly preview: UndoPreview }) {
  const { files, file_count: all, warnings } = preview;
  return (
    <>
      <p>
        Undoing this changes {formatCount(all, 'file')}, and is itself listed as a change by <bdi>{session.value?.person ?? ''}</bdi>. Later
        edits are kept where they can be merged.
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
            <bdi>{file.path}</bdi> <strong>{EFFECT_WORDS[file.kind]}</strong>
          </summary>
          <Diff diff={file.diff} />
        </details>
      ))}
      {files.length < all ? <p class="quiet">and {all - files.length} more files</p> : null}
    </>
  );
}
