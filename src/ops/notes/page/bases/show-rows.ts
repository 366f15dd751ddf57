import { baseName, fileName } from '../../../../note/path.ts';
import { summarize } from '../../../../query/bases/compile-view.ts';
import type { Column, CompiledView } from '../../../../query/bases/compile-view.ts';
import type { Base } from '../../../../query/bases/read-bases.ts';
import type { Run } from '../../../../query/run.ts';
import { groupsOf } from '../../../../query/select.ts';
import type { Row } from '../../../../query/select.ts';
import { shorten } from '../../../shorten.ts';
import { toCell, toPicture } from './cells.ts';
import type { Cell, Picture } from './cells.ts';

/** The length of all rows of an answer as JSON. */
const MAX_ROWS_CHARACTERS = 2_000_000;
const MAX_TITLE_CHARACTERS = 300;

export interface ShownRow {
  readonly path: string;
  readonly is_note: boolean;
  readonly title: string;
  readonly cells: readonly Cell[];
  readonly picture?: Picture;
}

/** A summary of a column, by its place. */
export interface ShownSummary {
  readonly column: number;
  readonly name: string;
  readonly value: Cell;
}

/** Rows with the same value of the property by which a view groups; one group without a value where it does not. */
export interface ShownGroup {
  readonly value: Cell | null;
  /** Number of rows, also of those that are not shown. */
  readonly count: number;
  readonly rows: readonly ShownRow[];
  readonly summaries: readonly ShownSummary[];
}

interface ViewRows {
  readonly compiled: CompiledView;
  readonly columns: readonly Column[];
  /** All rows of the view, by group. */
  readonly rows: readonly Row[];
  readonly path: string;
  /** Number of rows to show. */
  readonly limit: number;
}

/** Returns the first rows of a view in their groups, with the summaries of each group and of all rows. */
export function showRows(run: Run, base: Base, shown: ViewRows) {
  const { compiled, rows, limit } = shown;
  const isGrouped = compiled.selection.groupBy !== null;
  const groups: ShownGroup[] = [];
  let [start, shownRows, left] = [0, 0, MAX_ROWS_CHARACTERS];
  for (const { value, count } of isGrouped ? groupsOf(run, rows) : [{ value: null, count: rows.length }]) {
    if (shownRows >= limit || left <= 0) break;
    const all = rows.slice(start, start + count);
    const taken: ShownRow[] = [];
    for (const row of all.slice(0, limit - shownRows)) {
      if (left <= 0) break;
      const one = showRow(run, row, shown);
      left -= JSON.stringify(one).length;
      taken.push(one);
    }
    run.turnTo(null);
    groups.push({
      value: isGrouped ? toCell(run, value, compiled.view.groupBy?.property) : null,
      count,
      rows: taken,
      summaries: isGrouped ? showSummaries(run, base, { ...shown, rows: all }) : [],
    });
    start += count;
    shownRows += taken.length;
  }
  return { groups, shown: shownRows, summaries: showSummaries(run, base, shown) };
}

function showRow(run: Run, { file }: Row, { columns, compiled }: ViewRows): ShownRow {
  run.turnTo(file);
  const { path, entry } = file;
  const picture = compiled.image === null ? null : toPicture(run, compiled.image(run));
  return {
    path,
    is_note: entry !== null,
    title: shorten(entry === null ? fileName(path) : baseName(path), MAX_TITLE_CHARACTERS),
    cells: columns.map(({ name, value }) => toCell(run, value(run), name)),
    ...(picture === null ? {} : { picture }),
  };
}

function showSummaries(run: Run, base: Base, { compiled, columns, rows, path }: ViewRows): readonly ShownSummary[] {
  if (compiled.view.summaries.size === 0) return [];
  const values = summarize(run, base, compiled, { rows, path });
  run.turnTo(null);
  return [...values].flatMap(([property, value]) => {
    const column = columns.findIndex(({ name }) => name === property || `note.${name}` === property || name === `note.${property}`);
    return column < 0 ? [] : [{ column, name: shorten(compiled.view.summaries.get(property) ?? '', 60), value: toCell(run, value) }];
  });
}
