import { Fragment } from 'preact';
import { Cell, isNumeric } from './cell.tsx';
import { GroupTitle } from './group-title.tsx';
import type { Group, ShownView, Summary } from './shapes.ts';

/** Shows the rows of a view as a table, with a row above each group and the summaries below. */
export function RowTable({ shown }: { readonly shown: ShownView }) {
  const { columns, groups, summaries, view } = shown;
  const rows = groups.flatMap((group) => group.rows);
  const isNumberColumn = (at: number): boolean => rows.some(({ cells }) => cells[at] !== undefined && isNumeric(cells[at]));
  const hasWidths = columns.some(({ width }) => width !== undefined);
  return (
    <div class="scroll bases-scroll" role="region" aria-label={`Table ${view.name}`} tabIndex={0}>
      <table class="bases-table">
        {hasWidths ? (
          <colgroup>
            {columns.map(({ width }, index) => (
              <col key={index} style={width === undefined ? {} : { width: `${width}px` }} />
            ))}
          </colgroup>
        ) : null}
        <thead>
          <tr>
            {columns.map(({ title }, index) => (
              <th key={index} scope="col" class={isNumberColumn(index) ? 'numeric' : undefined} dir="auto">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group, index) => (
            <Fragment key={index}>
              {group.value === null ? null : <GroupRow group={group} shown={shown} />}
              {group.rows.map((row) => (
                <tr key={row.path}>
                  {row.cells.map((cell, at) => (
                    <td key={at} class={isNumeric(cell) ? 'numeric' : undefined}>
                      <Cell cell={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
        {summaries.length === 0 ? null : (
          <tfoot>
            <SummaryRow summaries={summaries} columns={columns.length} />
          </tfoot>
        )}
      </table>
    </div>
  );
}

function GroupRow({ group, shown }: { readonly group: Group; readonly shown: ShownView }) {
  const { columns } = shown;
  return (
    <>
      <tr class="bases-group">
        <th colSpan={columns.length} scope="rowgroup">
          <GroupTitle group={group} title={shown.group_title} />
        </th>
      </tr>
      {group.summaries.length === 0 ? null : <SummaryRow summaries={group.summaries} columns={columns.length} />}
    </>
  );
}

function SummaryRow({ summaries, columns }: { readonly summaries: readonly Summary[]; readonly columns: number }) {
  return (
    <tr class="bases-summary">
      {Array.from({ length: columns }, (_, at) => {
        const own = summaries.filter(({ column }) => column === at);
        return (
          <td key={at} class={own.some(({ value }) => isNumeric(value)) ? 'numeric' : undefined}>
            {own.map(({ name, value }) => (
              <span key={name}>
                <span class="quiet">{name}</span> <Cell cell={value} />
              </span>
            ))}
          </td>
        );
      })}
    </tr>
  );
}
