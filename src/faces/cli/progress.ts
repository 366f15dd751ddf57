import { visibleLine } from '../../terminal-text.ts';
import type { Host } from '../host.ts';
import { clipToWidth } from './terminal.ts';

/** What a person sees of work that takes longer than a second: one line that is written over, and gone when the work is done. */
export interface Progress {
  /** So much of something is done. */
  readonly step: (done: number, total: number, message: string) => void;
  /** Follows work that counts its own steps, and needs no vault to be open. */
  readonly counted: <T>(work: (step: Progress['step']) => Promise<T>) => Promise<T>;
  /** Follows the opening of the vault, and the work after it, for as long as something is waited for. */
  readonly during: <T>(host: Pick<Host, 'state'>, work: Promise<T>) => Promise<T>;
}

/** Where the line goes: a terminal. */
interface Screen {
  write(text: string): unknown;
  readonly columns?: number;
}

/** Before that much time has passed nothing is said, in milliseconds. */
const PATIENCE = 1000;
const PAUSE = 250;
const CLEAR = '\r\u001B[K';

/** Shows nothing where there is no terminal to show it on. */
export function openProgress(screen: Screen | null): Progress {
  if (screen === null) return { step: () => undefined, counted: (work) => work(() => undefined), during: (_, work) => work };
  const start = performance.now();
  let isShown = false;
  // Who counts its own steps says more than we know.
  let isCounted = false;
  const show = (text: string): void => {
    if (performance.now() - start < PATIENCE) return;
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
    async counted(work) {
      let next = 0;
      const seldom: Progress['step'] = (done, total, message) => {
        // Files are counted faster than a terminal shows.
        if (performance.now() < next) return;
        next = performance.now() + PAUSE;
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
        // Why it could not be opened is told by who waits for it.
        look().catch(() => undefined);
      }, PAUSE);
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
