import { useEffect, useState } from 'preact/hooks';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { CompareTexts } from './compare-texts.tsx';
import type { EditSession } from './edit-session.ts';

/** Tells that the note changed on disk while it was edited, and what can be done about it. */
export function DiskNotice({ session }: { readonly session: EditSession }) {
  const change = session.disk.value;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (change === null) setOpen(false);
  }, [change]);
  if (change === null) return null;
  const closeComparison = (): void => {
    setOpen(false);
    session.editor.focus();
  };
  if (change.kind === 'gone') {
    return (
      <div class="notice edit-notice" role="alert">
        <p>This note was deleted while you edited it. Your text is still here.</p>
        <button type="button" onClick={() => void session.makeAgain().then(() => session.editor.focus())}>
          Create it again
        </button>
      </div>
    );
  }
  if (change.kind === 'merges') {
    return (
      <div class="notice edit-notice" role="alert">
        <p>This note was changed by someone else while you edited it, in other lines than yours.</p>
        <button type="button" onClick={() => void session.merge().then(() => session.editor.focus(), showFailedChange)}>
          Merge both
        </button>
      </div>
    );
  }
  if (isOpen) return <CompareTexts session={session} change={change} onDone={closeComparison} />;
  return (
    <div class="notice edit-notice" role="alert">
      <p>This note was changed by someone else while you edited it, in lines that you changed too. Nothing is saved yet.</p>
      <button type="button" onClick={() => setOpen(true)}>
        Compare both
      </button>
    </div>
  );
}
