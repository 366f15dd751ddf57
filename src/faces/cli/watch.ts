import type { Status } from './command.ts';
import { DONE } from './command.ts';

/** What a command printed when it ran once. */
export interface Printed {
  readonly out: string;
  readonly err: string;
}

/** Where the answers go. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly rows?: number;
}

/** What is watched, and where its answers go. */
export interface Watched {
  /** Runs the command once. */
  readonly run: () => Promise<Printed>;
  /** Calls after each change of the vault; gives what ends it. */
  readonly follow: (listener: () => void) => Promise<() => void>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** So long nothing has to change before the answer is looked at again, in milliseconds: an editor and a rename touch several files. */
const PAUSE = 150;
/** The cursor to the upper left, and everything behind it gone. */
const CLEAR = '\u001B[H\u001B[2J';

/**
 * Prints an answer, and again whenever it has changed, until Ctrl-C. On a terminal the screen shows the newest one; elsewhere one
 * follows the other, with an empty line between those that are more than a line.
 */
export async function watch({ run, follow, stdout, stderr }: Watched): Promise<Status> {
  let shown: Printed | null = null;
  const look = async (): Promise<void> => {
    const now = await run();
    if (now.out === shown?.out && now.err === shown.err) return;
    show(now, shown, { stdout, stderr });
    shown = now;
  };
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const again = oneAfterAnother(() =>
    look().catch((error: unknown) => void stderr.write(`roux: ${error instanceof Error ? error.message : String(error)}\n`)),
  );
  const stop = await follow(again.soon);
  process.on('SIGWINCH', again.soon);
  try {
    await look();
    await ended;
  } finally {
    process.off('SIGWINCH', again.soon);
    again.end();
    stop();
  }
  return DONE;
}

function show({ out, err }: Printed, before: Printed | null, { stdout, stderr }: Pick<Watched, 'stdout' | 'stderr'>): void {
  if (stdout.isTTY === true) return void stdout.write(CLEAR + fitRows(out + err, stdout.rows ?? Number.POSITIVE_INFINITY));
  if (out !== before?.out) {
    const isBlock = [out, before?.out ?? ''].some((text) => text.indexOf('\n') < text.length - 1);
    stdout.write(before !== null && isBlock ? `\n${out}` : out);
  }
  if (err !== before?.err) stderr.write(err);
}

/** As many lines as a screen holds: what does not fit is not scrolled away, but counted. */
function fitRows(text: string, rows: number): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length < rows) return `${lines.join('\n')}\n`;
  const kept = Math.max(rows - 2, 1);
  return `${lines.slice(0, kept).join('\n')}\n… and ${lines.length - kept} more lines\n`;
}

/** Runs some work after a pause in which nobody asked for it again, and never twice at once. */
function oneAfterAnother(work: () => Promise<void>): { readonly soon: () => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let [isBusy, isAsked, isOver] = [false, false, false];
  const start = async (): Promise<void> => {
    isBusy = true;
    isAsked = false;
    await work();
    isBusy = false;
    if (isAsked) soon();
  };
  const soon = (): void => {
    isAsked = true;
    if (isBusy || isOver) return;
    clearTimeout(timer);
    timer = setTimeout(() => void start(), PAUSE);
  };
  return {
    soon,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
