import type { Progress } from './request.ts';

/** A progress notification, without the token of its request. */
export interface Step {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/**
 * Creates a reporter that sends at most a hundred steps for each phase of a call. Progress always increases, as the protocol requires: the
 * steps of a further phase are added.
 */
export function reportProgress(send: (step: Step) => void): Progress {
  let before = 0;
  let last: { readonly done: number; readonly total: number; readonly percent: number } = { done: 0, total: 0, percent: -1 };
  return (done, total, message) => {
    if (done < last.done) {
      before += last.total;
      last = { done: 0, total: 0, percent: -1 };
    }
    const percent = total > 0 ? Math.floor((done / total) * 100) : 100;
    if (percent === last.percent) return;
    last = { done, total, percent };
    send({ progress: before + done, total: before + total, message });
  };
}
