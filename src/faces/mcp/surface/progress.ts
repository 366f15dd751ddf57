import type { Progress } from './request.ts';

/** What a notification of progress says, without the token of the request. */
export interface Step {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/** Reports a call's progress, a hundred steps of each of its phases at most. It always increases, as the protocol demands: a further phase is counted on. */
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
