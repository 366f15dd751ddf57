import { constants, setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../../errors.ts';
import { layOut } from '../../layout/layout.ts';
import type { Layout, LayoutStep, Places } from '../../layout/layout.ts';
import type { LayoutJob, LayoutReply } from './layout-thread.ts';

/** Interval of progress reports. */
const REPORT_INTERVAL_MS = 400;
/** Length of a work slice, after which a smaller job may take over. */
const SLICE_MS = 20;

interface Work {
  readonly id: number;
  readonly size: number;
  readonly steps: Generator<LayoutStep, Layout>;
  reportedAt: number;
}

const port = parentPort;
if (port !== null) {
  lowerPriority();
  const works: Work[] = [];
  let isRunning = false;

  const tell = (reply: LayoutReply, { x, y }: Places): void => port.postMessage(reply, [x.buffer as ArrayBuffer, y.buffer as ArrayBuffer]);

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    // The graph around one note does not wait for the whole vault.
    for (let work = smallest(works); work !== undefined; work = smallest(works)) {
      const until = performance.now() + SLICE_MS;
      try {
        for (let isOver = false; !isOver; isOver ||= performance.now() >= until) isOver = takeStep(work, tell);
      } catch (error) {
        works.splice(works.indexOf(work), 1);
        port.postMessage({ id: work.id, error: errorMessage(error) } satisfies LayoutReply);
      }
      await setImmediate();
    }
    isRunning = false;
  };

  const takeStep = (work: Work, report: typeof tell): boolean => {
    const step = work.steps.next();
    if (step.done === true) {
      works.splice(works.indexOf(work), 1);
      report({ id: work.id, layout: step.value }, step.value);
      return true;
    }
    if (performance.now() - work.reportedAt < REPORT_INTERVAL_MS) return false;
    work.reportedAt = performance.now();
    const places = step.value.places();
    report({ id: work.id, done: step.value.done, places }, places);
    return false;
  };

  port.on('message', ({ id, links, former }: LayoutJob) => {
    works.push({ id, size: links.count, steps: layOut({ links, former }), reportedAt: performance.now() });
    void run();
  });
}

function smallest(works: readonly Work[]): Work | undefined {
  return works.reduce<Work | undefined>((least, each) => (least === undefined || each.size < least.size ? each : least), undefined);
}

/** Lowers the priority below everything else. On Linux pid 0 is this thread; elsewhere it would be the whole process. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted; it still yields between slices.
  }
}
