import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { callOperation } from '../../api.ts';
import type { Result } from '../../operations.ts';
import { addressOfFile, tagAddress } from '../../router.ts';
import { formatCount } from '../../parts/files/count.ts';
import { NoteLink, UnresolvedLink } from '../../parts/note-link.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toast.tsx';
import { describeError } from '../../parts/words/error-text.ts';
import { canWrite } from '../../session.ts';
import { EditProperty } from './edit/edit-property.tsx';
import type { Property } from './page-shapes.ts';

/** With more properties than this, the table is folded. */
const MAX_UNFOLDED_PROPERTIES = 8;

/** A property that is being edited, null for a new one, and the properties as they were when this began. */
interface Editing {
  readonly name: string | null;
  readonly source: Result<'page_properties'>;
}

/** What is edited in each note, by its path: it stays open over signing out and other pages. */
const open = new Map<string, Editing>();

interface PropertiesProps {
  /** Null for a note that cannot be edited, such as an earlier version. */
  readonly path: string | null;
  readonly properties: readonly Property[];
  /** Unfolded however many there are, as in a note without a text. */
  readonly isOpen: boolean;
}

/** The frontmatter of a note, as a table in which each property can be edited. */
export function Properties({ path, properties, isOpen }: PropertiesProps) {
  const [editing, setEditing] = useState<Editing | null>((path === null ? null : open.get(path)) ?? null);
  useLayoutEffect(() => {
    if (path === null) return;
    if (editing === null) open.delete(path);
    else open.set(path, editing);
  }, [path, editing]);
  const mayEdit = path !== null && canWrite();
  const edit = async (name: string | null): Promise<void> => {
    if (path === null) return;
    try {
      const source = await callOperation('page_properties', { path });
      if (name === null || source.properties.some(({ key }) => key === name)) setEditing({ name, source });
      else showToast({ text: 'This property was removed meanwhile, or cannot be edited here. Edit the note instead.', isBad: true });
    } catch (error) {
      showToast({ text: describeError(error), isBad: true });
    }
  };
  const left = useRef<string | null>(null);
  useLayoutEffect(() => {
    // Back to the button from which the property was edited.
    if (editing === null && left.current !== null) document.getElementById(left.current)?.focus();
  }, [editing]);
  const finish = (): void => {
    left.current = buttonId(editing?.name ?? null);
    setEditing(null);
  };
  const editor = editing === null || path === null || !mayEdit ? null : <EditProperty path={path} {...editing} onDone={finish} />;
  // What is typed into a property that somebody else removes stays as well.
  const isApart = !properties.some(({ key }) => key === editing?.name);
  const adding = !mayEdit ? null : editor !== null && isApart ? (
    editor
  ) : (
    <button type="button" id={buttonId(null)} class="quiet-button no-print" onClick={() => void edit(null)}>
      Add a property
    </button>
  );
  if (properties.length === 0) return adding;
  return (
    <details class="properties" open={isOpen || properties.length <= MAX_UNFOLDED_PROPERTIES}>
      <summary>{formatCount(properties.length, 'property', 'properties')}</summary>
      <table>
        <tbody>
          {properties.map((property) => (
            <tr key={property.key}>
              <th scope="row" dir="auto">
                {property.key}
              </th>
              <td>
                {editor !== null && editing?.name === property.key ? (
                  editor
                ) : (
                  <>
                    <Values property={property} />
                    {mayEdit && property.is_fixed !== true ? (
                      <button
                        type="button"
                        id={buttonId(property.key)}
                        class="property-edit no-print"
                        aria-label={`Edit ${property.key}`}
                        onClick={() => void edit(property.key)}
                      >
                        Edit
                      </button>
                    ) : null}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {adding}
    </details>
  );
}

function buttonId(name: string | null): string {
  return name === null ? 'add-property' : `edit-property-${encodeURIComponent(name)}`;
}

function Values({ property: { values, more } }: { readonly property: Property }) {
  return (
    <>
      {values.length === 0 ? <span class="quiet">empty</span> : null}
      {values.map((value, index) => (
        <span class="property-value" key={index}>
          <Value value={value} />
        </span>
      ))}
      {more === undefined ? null : <span class="quiet">and {more} more</span>}
    </>
  );
}

function Value({ value: { text, note, kind, target = text } }: { readonly value: Property['values'][number] }) {
  if (note !== undefined) return <NoteLink path={note}>{text}</NoteLink>;
  switch (kind) {
    case 'unresolved':
      return <UnresolvedLink target={target}>{text}</UnresolvedLink>;
    case 'file':
      return (
        <a href={addressOfFile(target)} dir="auto">
          {text}
        </a>
      );
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
