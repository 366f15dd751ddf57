/** The jobs of the day, in the order of the table. */
export const JOBS = ['overview', 'links', 'lists', 'headings', 'folders', 'merge', 'hub', 'questions'] as const;
export type DayJob = (typeof JOBS)[number];

/** So many characters are taken for one token: English and JSON have about as many. */
export const PER_TOKEN = 4;

/** Sends a call; gives the text of all content blocks of the answer. Throws where the tool says that it failed. */
export type Send = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<readonly string[]>;

/** What a job took: calls, and the characters of what was asked and of the answers. */
export interface Spent {
  calls: number;
  asked: number;
  answered: number;
}

/** Counts what the jobs of a day take. */
export class Ledger {
  readonly #spent = new Map<DayJob, Spent>();

  /** Returns what sends calls of a job, which are counted, and gives the answers' first block, parsed where it is JSON. */
  asking(job: DayJob, send: Send): DayAsk {
    return async <T>(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<T> => {
      const texts = await send(tool, args);
      const spent = this.of(job);
      spent.calls += 1;
      spent.asked += tool.length + JSON.stringify(args).length;
      spent.answered += texts.join('').length;
      const [first = ''] = texts;
      return (/^[[{]/.test(first) ? JSON.parse(first) : first) as T;
    };
  }

  /** What a job took so far. */
  of(job: DayJob): Spent {
    const spent = this.#spent.get(job) ?? { calls: 0, asked: 0, answered: 0 };
    this.#spent.set(job, spent);
    return spent;
  }

  total(): Spent {
    const all = JOBS.map((job) => this.of(job));
    const sum = (key: keyof Spent): number => all.reduce((before, spent) => before + spent[key], 0);
    return { calls: sum('calls'), asked: sum('asked'), answered: sum('answered') };
  }
}

/** One counted call. */
export type DayAsk = <T>(tool: string, args?: Readonly<Record<string, unknown>>) => Promise<T>;
