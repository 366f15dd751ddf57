import type { CheckKind } from './report.ts';

/** What people are told about a kind of finding. */
export interface ShownKind {
  /** Heads the list of them. */
  readonly title: string;
  /** A sentence about one of them, for the description of the rule. */
  readonly about: string;
  /** What to do about them. */
  readonly advice: string;
}

export const SHOWN_KINDS: Readonly<Record<CheckKind, ShownKind>> = {
  'dead-anchor': {
    title: 'Dead anchors',
    about: 'An entry of applies_to names no file of the repository.',
    advice: 'Write which code the note is about now, or take the entry out.',
  },
  unconfirmed: {
    title: 'Not confirmed since their code changed',
    about: 'The code that applies_to names changed after the note was last confirmed.',
    advice: 'Read the note beside the code. Correct it, or say that it still holds: roux confirm NOTE.',
  },
  frontmatter: {
    title: 'Broken frontmatter',
    about: 'The properties of the note cannot be read, or not all of them.',
    advice: 'Correct the YAML between the two lines of dashes.',
  },
  stale: {
    title: 'Stale',
    about: 'The day in stale_after has come.',
    advice: 'Look whether the note still holds, and give it a later day: roux confirm NOTE --until DATE.',
  },
  'moved-anchor': {
    title: 'Anchors to code that was renamed',
    about: 'An entry of applies_to names code by its former path.',
    advice: 'The rename is followed. Write the new path when you next edit the note.',
  },
  'unresolved-link': {
    title: 'Unresolved links',
    about: 'A link leads to a note or file that does not exist.',
    advice: 'Correct the name, or write the note.',
  },
  'missing-heading': {
    title: 'Links to missing headings',
    about: 'A link leads to a heading or block that its note does not have.',
    advice: 'Correct the part of the link after the #.',
  },
  okf: {
    title: 'Against the Open Knowledge Format',
    about: 'The folder is a bundle of the Open Knowledge Format, and the file does not conform.',
    advice: 'roux okf check says more.',
  },
};
