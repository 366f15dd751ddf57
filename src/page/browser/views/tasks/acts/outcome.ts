import { callWithWarnings } from '../../../api.ts';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { showToast } from '../../../parts/toast.tsx';

/** The user's last act, which can be undone. */
interface LastAct {
  /** The changed task or project, for the text after an undo. */
  readonly summary: string;
  /** What it wrote, oldest first. */
  readonly batches: readonly string[];
  /** Whether it was an undo itself, so that undoing it does the act again. */
  readonly isUndo: boolean;
}

let lastAct: LastAct | null = null;

/** Acts run one after another, so that each is based on the outcome of the one before. */
let queue: Promise<unknown> = Promise.resolve();

export function inTurn<T>(act: () => Promise<T>): Promise<T> {
  const next = queue.then(act);
  queue = next.catch(() => null);
  return next;
}

/** Says what an act did, and offers to undo it. */
export function reportDone(text: string, { summary, batches }: Pick<LastAct, 'summary' | 'batches'>): void {
  report(text, { summary, batches, isUndo: false });
}

function report(text: string, act: LastAct): void {
  lastAct = act.batches.length === 0 ? null : act;
  const action = { label: act.isUndo ? 'Redo' : 'Undo', run: () => void undoLast() };
  showToast({ text, ...(lastAct === null ? {} : { action }) });
}

/** Says why an act did nothing. */
export function reportRefused(text: string): void {
  showToast({ text, isBad: true });
}

export function canUndo(): boolean {
  return lastAct !== null;
}

/** Takes back the user's last act, or the undo of it. */
export function undoLast(): Promise<void> {
  const last = lastAct;
  lastAct = null;
  if (last === null) return Promise.resolve();
  return inTurn(async () => {
    const batches: string[] = [];
    try {
      for (const batch of last.batches.toReversed()) batches.push(...(await callWithWarnings('undo', { batch })).batches);
      const text = last.isUndo ? `The change of ${last.summary} was made again.` : `The last change of ${last.summary} was undone.`;
      report(text, { summary: last.summary, batches, isUndo: !last.isUndo });
    } catch (error) {
      reportRefused(describeFailedChange(error, true));
    }
  });
}

/** Returns a summary in quotation marks, at most 80 characters of it. */
export function quote(summary: string): string {
  return `“${summary.length > 80 ? `${summary.slice(0, 79)}…` : summary}”`;
}
