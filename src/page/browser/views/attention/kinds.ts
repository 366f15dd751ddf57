/** The findings that are known without reading notes. */
export const KINDS = [
  {
    name: 'unresolved',
    title: 'Unresolved links',
    none: 'Every link leads somewhere',
    help: 'Links to notes that do not exist. Open one to see the notes that link to it, or to create it.',
  },
  {
    name: 'ambiguous',
    title: 'Ambiguous links',
    none: 'No link is ambiguous',
    help: 'Links that several notes of the same name fit. They lead to the nearest one; write the folder in the link to choose another.',
  },
  {
    name: 'unreadable',
    title: 'Unreadable notes',
    none: 'Every note can be read',
    help: 'Notes whose properties or text could not be read in full.',
  },
  {
    name: 'stale',
    title: 'Out of date',
    none: 'No note is out of date',
    help: 'Notes whose day in the property “stale_after” has come. Check whether they still hold.',
  },
] as const;

export type Kind = (typeof KINDS)[number]['name'];

export function isKind(name: string): name is Kind {
  return KINDS.some((kind) => kind.name === name);
}
