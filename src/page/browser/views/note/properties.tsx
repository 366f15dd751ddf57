import { NoteLink } from '../../parts/note-link.tsx';
import { Time } from '../../parts/time.tsx';
import { tagAddress } from '../../router.ts';
import type { Property } from './page-shapes.ts';

/** With more properties than this, the table is folded. */
const MAX_UNFOLDED_PROPERTIES = 8;

/** The frontmatter of a note, as a table. */
export function Properties({ properties }: { readonly properties: readonly Property[] }) {
  if (properties.length === 0) return null;
  return (
    <details class="properties" open={properties.length <= MAX_UNFOLDED_PROPERTIES}>
      <summary>{properties.length === 1 ? '1 property' : `${properties.length} properties`}</summary>
      <table>
        <tbody>
          {properties.map(({ key, values, more }) => (
            <tr key={key}>
              <th scope="row" dir="auto">
                {key}
              </th>
              <td>
                {values.length === 0 ? <span class="quiet">empty</span> : null}
                {values.map((value, index) => (
                  <span class="property-value" key={index}>
                    <Value value={value} />
                  </span>
                ))}
                {more === undefined ? null : <span class="quiet">and {more} more</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Value({ value: { text, note, kind } }: { readonly value: Property['values'][number] }) {
  if (note !== undefined) return <NoteLink path={note}>{text}</NoteLink>;
  switch (kind) {
    case 'tag':
      return (
        <a class="tag" href={tagAddress(text)}>
          #{text}
        </a>
      );
    case 'url':
      return (
        <a href={text} class="external" target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      );
    case 'date':
      return text.length > 10 ? <Time at={text} /> : <span>{text}</span>;
    case 'json':
      return <code>{text}</code>;
    default:
      return text === '' ? <span class="quiet">empty</span> : <span dir="auto">{text}</span>;
  }
}
