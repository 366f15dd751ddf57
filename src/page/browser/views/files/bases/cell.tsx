import { NoteLink, UnresolvedLink } from '../../../parts/note-link.tsx';
import { folderAddress, searchAddress } from '../../../router.ts';
import { FileLink } from '../file-link.tsx';
import type { Part, ShownCell } from './shapes.ts';

/** The values of a cell. */
export function Cell({ cell: { parts, more } }: { readonly cell: ShownCell }) {
  return (
    <>
      {parts.map((part, index) => (
        <span class="cell-part" key={index}>
          <CellPart part={part} />
        </span>
      ))}
      {more === undefined ? null : <span class="quiet">and {more} more</span>}
    </>
  );
}

function CellPart({ part: { kind, text, target = text } }: { readonly part: Part }) {
  switch (kind) {
    case 'note':
      return <NoteLink path={target}>{text}</NoteLink>;
    case 'file':
      return <FileLink path={target} label={text} />;
    case 'unresolved':
      return <UnresolvedLink target={target}>{text}</UnresolvedLink>;
    case 'folder':
      return (
        <a href={folderAddress(text)} dir="auto">
          {text}
        </a>
      );
    case 'url':
      return (
        <a class="external" href={target} target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      );
    case 'tag':
      return (
        <a class="tag" href={searchAddress(`tag:${text}`)} dir="auto">
          #{text}
        </a>
      );
    case 'checkbox':
      return <input type="checkbox" disabled checked={text === 'true'} aria-label={text === 'true' ? 'Yes' : 'No'} />;
    case 'date':
      return <time dateTime={text}>{text}</time>;
    case 'color':
      return (
        <>
          <span class="color-sample" style={{ backgroundColor: text }} aria-hidden="true" />
          {text}
        </>
      );
    default:
      return <span dir="auto">{text}</span>;
  }
}

/** Whether a cell holds nothing but numbers, which are aligned at their end. */
export function isNumeric({ parts }: ShownCell): boolean {
  return parts.length === 1 && parts[0]?.kind === 'number';
}
