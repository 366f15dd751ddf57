import { callOperation } from '../../../api.ts';
import { showFailedChange } from '../../../parts/failed-change.ts';
import { showToast } from '../../../parts/toast.tsx';

/** Says what was changed, and offers to undo it if something was written. `onUndone` runs after the undo. */
export function offerUndo(text: string, batch: string | null, onUndone?: () => void): void {
  if (batch === null) return showToast({ text });
  const undo = async (): Promise<void> => {
    try {
      await callOperation('undo', { batch });
      onUndone?.();
      showToast({ text: 'Undone.' });
    } catch (error) {
      showFailedChange(error);
    }
  };
  showToast({ text, action: { label: 'Undo', run: () => void undo() } });
}
