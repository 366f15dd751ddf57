import { constants, setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../../errors.ts';
import { layOut } from '../layout.ts';
import type { Layout, LayoutStep, Places } from '../layout.ts';
import type { LayoutJob, LayoutReply } from './layout-thread.ts';

/** How often it is told how far a job is, in milliseconds. */
const TELL_MS = 400;
/** How long work goes on before it is looked whether a smaller job came, in milliseconds. */
const SLICE_MS = 20;

interface Work {
  readonly id: number;
  readonly size: number;
  readonly steps: Generator<LayoutStep, Layout>;
  told: number;
}

const port = parentPort;
if (port !== null) {
  stepBack();
  const works: Work[] = [];
  let isRunning = false;

  const tell = (reply: LayoutReply, { x, y }: Places): void => port.postMessage(reply, [x.buffer as ArrayBuffer, y.buffer as ArrayBuffer]);

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    // The surroundings of a note do not wait for the whole vault.
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

  const takeStep = (work: Work, told: typeof tell): boolean => {
    const step = work.steps.next();
    if (step.done === true) {
      works.splice(works.indexOf(work), 1);
      told({ id: work.id, layout: step.value }, step.value);
      return true;
    }
    if (performance.now() - work.told < TELL_MS) return false;
    work.told = performance.now();
    const places = step.value.places();
    told({ id: work.id, done: step.value.done, places }, places);
    return false;
  };

  port.on('message', ({ id, links, former }: LayoutJob) => {
    works.push({ id, size: links.count, steps: layOut({ links, former }), told: performance.now() });
    void run();
  });
}

function smallest(works: readonly Work[]): Work | undefined {
  return works.reduce<Work | undefined>((least, each) => (least === undefined || each.size < least.size ? each : least), undefined);
}

/** Below everything else that this user runs. On Linux the number 0 is this thread; elsewhere it would be the whole process. */
function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not allowed here: it gives way between slices.
  }
}
