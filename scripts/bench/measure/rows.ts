import { cpus, totalmem } from 'node:os';

/** One line of a result: what was measured, beside a yardstick of the same run and what it should be. Cells are Markdown. */
export interface Row {
  readonly work: string;
  readonly measured: string;
  /** What the same run measured to compare it with, and what else belongs to it. */
  readonly beside?: string;
  /** What was measured before the work that the goals ask for. */
  readonly before?: string;
  readonly goal?: string;
  /** Whether the goal is met; missing where there is none. */
  readonly isMet?: boolean;
}

/** The rows of one part of a run. */
export interface Part {
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** What a run measured, as `--json` keeps it. */
export interface Run {
  readonly machine: string;
  readonly notes: number;
  readonly parts: readonly Part[];
}

const HEAD = ['what', 'before', 'measured', 'beside', 'goal', 'met'];

/** A Markdown table of rows. */
export function toTable(rows: readonly Row[]): string {
  return toMarkdown(
    HEAD,
    rows.map((row) => [row.work, row.before, row.measured, row.beside, row.goal, verdict(row)]),
  );
}

/** A Markdown table; cells that are missing are empty. */
export function toMarkdown(head: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  const line = (cells: readonly (string | undefined)[]): string => `| ${cells.map((cell) => cell ?? '').join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n').replaceAll(/ {2,}/g, ' ');
}

/** Whether a row meets its goal, in a word. */
export function verdict({ isMet }: Row): string {
  return isMet === undefined ? '' : isMet ? 'yes' : '**no**';
}

/** The machine, for the head of a table. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
}

/** Milliseconds, as people read them. */
export const ms = (value: number): string =>
  value < 10 ? `${value.toFixed(1)} ms` : value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(2)} s`;

export const times = (value: number): string => `${value.toFixed(1)} ×`;

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;

/** The median of a sample and its 97th percentile. */
export const spread = (values: readonly number[]): string => `${ms(median(values))} / ${ms(percentile(values, 0.97))}`;

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
