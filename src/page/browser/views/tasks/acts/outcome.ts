import { signal } from '@preact/signals';
import { callWithWarnings } from '../../../api.ts';
import { describeFailedChange } from '../../../parts/failed-change.ts';

/** What the user's last act did, or why it did nothing. */
export interface Outcome {
  readonly text: string;
  readonly isBad: boolean;
  /** The changed task or project, for the text after an undo. */
  readonly summary: string;
  /** The batches to undo, oldest first; empty if there is nothing to undo. */
  readonly batches: readonly string[];
  /** Whether it was an undo itself, so that undoing it does the act again. */
  readonly isUndo: boolean;
}

export const outcome = signal<Outcome | null>(null);

/** Acts run one after another, so that each is based on the outcome of the one before. */
let queue: Promise<unknown> = Promise.resolve();

export function inTurn<T>(act: () => Promise<T>): Promise<T> {
  const next = queue.then(act);
  queue = next.catch(() => null);
  return next;
}

export function reportDone(text: string, { summary, batches }: Pick<Outcome, 'summary' | 'batches'>): void {
  outcome.value = { text, isBad: false, summary, batches, isUndo: false };
}

export function reportRefused(text: string): void {
  outcome.value = { text, isBad: true, summary: '', batches: [], isUndo: false };
}

/** Takes back the user's last act, or the undo of it. */
export function undoLast(): Promise<void> {
  const last = outcome.value;
  if (last === null || last.batches.length === 0) return Promise.resolve();
  outcome.value = { ...last, batches: [] };
  return inTurn(async () => {
    const written: string[] = [];
    try {
      for (const batch of last.batches.toReversed()) written.push(...(await callWithWarnings('undo', { batch })).batches);
      outcome.value = {
        text: last.isUndo ? `The change of ${last.summary} was made again.` : `The last change of ${last.summary} was undone.`,
        isBad: false,
        summary: last.summary,
        batches: written,
        isUndo: !last.isUndo,
      };
    } catch (error) {
      reportRefused(describeFailedChange(error, true));
    }
  });
}

/** Returns a summary in quotation marks, at most 80 characters of it. */
export function quote(summary: string): string {
  return `“${summary.length > 80 ? `${summary.slice(0, 79)}…` : summary}”`;
}
