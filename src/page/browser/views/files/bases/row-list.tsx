import { Cell } from './cell.tsx';
import { GroupTitle } from './group-title.tsx';
import type { Row, ShownView } from './shapes.ts';

/** Shows the rows of a view as a list: the first property of each, and the others beside or below it. */
export function RowList({ shown }: { readonly shown: ShownView }) {
  const { groups, layout, summaries } = shown;
  const List = layout.markers === 'number' ? 'ol' : 'ul';
  let first = 1;
  return (
    <>
      {groups.map((group, index) => {
        const start = first;
        first += group.rows.length;
        return (
          <section key={index}>
            {group.value === null ? null : (
              <h3 class="bases-group">
                <GroupTitle group={group} title={shown.group_title} />
              </h3>
            )}
            <List class="bases-list" data-markers={layout.markers} {...(layout.markers === 'number' ? { start } : {})}>
              {group.rows.map((row) => (
                <li key={row.path}>
                  <Properties row={row} shown={shown} />
                </li>
              ))}
            </List>
          </section>
        );
      })}
      {summaries.map(({ column, name, value }) => (
        <p class="quiet" key={column}>
          {shown.columns[column]?.title} {name} <Cell cell={value} />
        </p>
      ))}
    </>
  );
}

function Properties({ row, shown: { columns, layout } }: { readonly row: Row; readonly shown: ShownView }) {
  const [main, ...rest] = row.cells.map((cell, at) => ({ cell, title: columns[at]?.title ?? '' }));
  const filled = rest.filter(({ cell }) => cell.parts.length > 0);
  return (
    <>
      {main === undefined ? row.title : <Cell cell={main.cell} />}
      {layout.is_indented && filled.length > 0 ? (
        <ul class="bases-properties">
          {filled.map(({ cell, title }) => (
            <li key={title}>
              <span class="quiet" dir="auto">
                {title}
              </span>{' '}
              <Cell cell={cell} />
            </li>
          ))}
        </ul>
      ) : (
        filled.map(({ cell, title }) => (
          <span key={title} title={title}>
            {layout.separator.trimEnd()} <Cell cell={cell} />
          </span>
        ))
      )}
    </>
  );
}
