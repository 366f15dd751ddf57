import type { Status } from './command.ts';
import { DONE } from './command.ts';
import type { Output } from './program.ts';

/** What one run of a command printed. */
export interface Printed {
  readonly out: string;
  readonly err: string;
}

/** What to watch, and where to print its answers. */
export interface Watched {
  /** Runs the command once. */
  readonly run: () => Promise<Printed>;
  /** Calls the listener after each change of the vault; resolves to a function that stops it. */
  readonly follow: (listener: () => void) => Promise<() => void>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** How long the vault must be quiet before the command runs again: an editor or a rename changes several files at once. */
const QUIET_MS = 150;
/** Moves the cursor to the upper left and clears the screen. */
const CLEAR = '\u001B[H\u001B[2J';

/**
 * Prints an answer, and prints it again whenever it has changed, until Ctrl-C. A terminal shows only the latest answer; other output gets
 * one after the other, separated by empty lines if they have more than one line.
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
  const again = debounce(() =>
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

/** Cuts a text to the height of the screen, and says how many lines are missing. */
function fitRows(text: string, rows: number): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length < rows) return `${lines.join('\n')}\n`;
  const kept = Math.max(rows - 2, 1);
  return `${lines.slice(0, kept).join('\n')}\n… and ${lines.length - kept} more lines\n`;
}

/** Returns `soon`, which runs some work once no further call came for a while. Never runs it twice at the same time. */
function debounce(work: () => Promise<void>): { readonly soon: () => void; readonly end: () => void } {
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
    timer = setTimeout(() => void start(), QUIET_MS);
  };
  return {
    soon,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
