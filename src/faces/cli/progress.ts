import { visibleLine } from '../../terminal-text.ts';
import type { Host } from '../host.ts';
import { clipToWidth } from './terminal.ts';

/** Shows the progress of work that takes longer than a second, on one line that is overwritten, and removed at the end. */
export interface Progress {
  /** Shows that `done` of `total` steps are done. */
  readonly step: (done: number, total: number, message: string) => void;
  /** Shows the progress of work that reports its own steps and needs no open vault. */
  readonly track: <T>(work: (step: Progress['step']) => Promise<T>) => Promise<T>;
  /** Shows how much of the vault has been read until `work` settles. */
  readonly during: <T>(host: Pick<Host, 'state'>, work: Promise<T>) => Promise<T>;
}

/** The terminal that shows the line. */
interface Screen {
  write(text: string): unknown;
  readonly columns?: number;
}

/** Nothing is shown before this time. */
const SHOW_AFTER_MS = 1000;
const REFRESH_INTERVAL_MS = 250;
const CLEAR = '\r\u001B[K';

/** Creates a progress line; null shows nothing. */
export function createProgress(screen: Screen | null): Progress {
  if (screen === null) return { step: () => undefined, track: (work) => work(() => undefined), during: (_, work) => work };
  const start = performance.now();
  let isShown = false;
  // Reported steps say more than the number of notes.
  let isCounted = false;
  const show = (text: string): void => {
    if (performance.now() - start < SHOW_AFTER_MS) return;
    screen.write(CLEAR + clipToWidth(visibleLine(text), (screen.columns ?? 80) - 1));
    isShown = true;
  };
  const clear = (): void => {
    if (isShown) screen.write(CLEAR);
    isShown = false;
  };
  const step: Progress['step'] = (done, total, message) => {
    isCounted = done < total;
    show(`${message}: ${grouped(done)} of ${grouped(total)}`);
  };
  return {
    step,
    async track(work) {
      let next = 0;
      const seldom: Progress['step'] = (done, total, message) => {
        // Files are counted faster than a terminal can draw.
        if (performance.now() < next) return;
        next = performance.now() + REFRESH_INTERVAL_MS;
        step(done, total, message);
      };
      try {
        return await work(seldom);
      } finally {
        clear();
      }
    },
    async during(host, work) {
      let isOver = false;
      const look = async (): Promise<void> => {
        const state = await host.state();
        if (isOver || isCounted) return;
        const seconds = Math.floor((performance.now() - start) / 1000);
        show(
          state.isReady
            ? `${grouped(state.notes)} notes read, at work for ${seconds} s …`
            : `Reading the vault: ${grouped(state.notes)} notes …`,
        );
      };
      const timer = setInterval(() => {
        // If the vault cannot be opened, the caller that waits for it reports that.
        look().catch(() => undefined);
      }, REFRESH_INTERVAL_MS);
      try {
        return await work;
      } finally {
        isOver = true;
        clearInterval(timer);
        clear();
      }
    },
  };
}

function grouped(number: number): string {
  return number.toLocaleString('en');
}
