import { NoteLink } from '../../../parts/note-link.tsx';
import { FileLink } from '../file-link.tsx';
import { VaultPicture } from '../vault-picture.tsx';
import { Cell } from './cell.tsx';
import { GroupTitle } from './group-title.tsx';
import type { Row, ShownView } from './shapes.ts';

/** The width of a card where the view gives none, in CSS pixels. */
const DEFAULT_CARD_SIZE = 200;

/** Shows the rows of a view as cards, with a picture where the view names a property for it. */
export function Cards({ shown }: { readonly shown: ShownView }) {
  const { groups, layout, summaries, columns } = shown;
  const size = layout.card_size ?? DEFAULT_CARD_SIZE;
  return (
    <>
      {groups.map((group, index) => (
        <section key={index}>
          {group.value === null ? null : (
            <h3 class="bases-group">
              <GroupTitle group={group} title={shown.group_title} />
            </h3>
          )}
          <ul class="bases-cards" style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(${size}px, 100%), 1fr))` }}>
            {group.rows.map((row) => (
              <Card key={row.path} row={row} shown={shown} />
            ))}
          </ul>
        </section>
      ))}
      {summaries.map(({ column, name, value }) => (
        <p class="quiet" key={column}>
          {columns[column]?.title} {name} <Cell cell={value} />
        </p>
      ))}
    </>
  );
}

function Card({ row, shown }: { readonly row: Row; readonly shown: ShownView }) {
  const { columns } = shown;
  const [main, ...rest] = row.cells.map((cell, at) => ({ cell, title: columns[at]?.title ?? '' }));
  return (
    <li class="bases-card">
      {shown.has_pictures ? <CardPicture row={row} shown={shown} /> : null}
      <div class="bases-card-text">
        <div class="bases-card-title">{main === undefined ? <RowLink row={row} /> : <Cell cell={main.cell} />}</div>
        {rest.map(({ cell, title }) =>
          cell.parts.length === 0 ? null : (
            <div key={title}>
              <span class="quiet" dir="auto">
                {title}
              </span>
              <div>
                <Cell cell={cell} />
              </div>
            </div>
          ),
        )}
      </div>
    </li>
  );
}

function RowLink({ row: { path, is_note: isNote, title } }: { readonly row: Row }) {
  return isNote ? <NoteLink path={path}>{title}</NoteLink> : <FileLink path={path} label={title} />;
}

function CardPicture({ row: { picture, title }, shown: { layout } }: { readonly row: Row; readonly shown: ShownView }) {
  const frame = { aspectRatio: `1 / ${layout.image_ratio}` };
  if (picture === undefined) return <div class="bases-picture" style={frame} />;
  if ('color' in picture) return <div class="bases-picture" style={{ ...frame, backgroundColor: picture.color }} />;
  if ('url' in picture) {
    // It lies elsewhere, and its server would learn who reads the vault.
    return (
      <div class="bases-picture" style={frame}>
        <a class="external quiet" href={picture.url} target="_blank" rel="noopener noreferrer">
          Picture
        </a>
      </div>
    );
  }
  return (
    <div class="bases-picture" style={frame}>
      <VaultPicture path={picture.file} label={title} class={layout.is_image_whole ? 'whole' : 'cover'} />
    </div>
  );
}
