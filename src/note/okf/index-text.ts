import { encodeDestination } from '../markdown/link-text.ts';
import { compareNames } from '../text.ts';
import { INDEX } from './reserved.ts';

/** What an `index.md` lists. Files are named from its folder. */
export interface IndexContent {
  readonly concepts: readonly {
    readonly file: string;
    readonly title: string;
    readonly type: string;
    readonly description: string | null;
  }[];
  readonly folders: readonly {
    readonly name: string;
    readonly hasIndex: boolean;

    readonly concepts: number;
    readonly types: readonly string[];
  }[];
  readonly files: readonly string[];
}

const MAX_TITLE_CHARACTERS = 300;
const MAX_DESCRIPTION_CHARACTERS = 1_000;
/** Types that a line about a folder names. */
const MAX_TYPES = 5;

/** Writes the sections of an `index.md`: concepts by their type, folders, other files. Ends with a line end. */
export function composeIndex({ concepts, folders, files }: IndexContent): string {
  const types = [...new Set(concepts.map(({ type }) => type))].sort(compareNames);
  const sections = types.map((type) => {
    const own = concepts
      .filter((each) => each.type === type)
      .sort((a, b) => compareNames(a.title, b.title) || compareNames(a.file, b.file));
    return section(
      type,
      own.map(({ file, title, description }) => entry(title, file, description)),
    );
  });
  const below = [...folders]
    .sort((a, b) => compareNames(a.name, b.name))
    .map((folder) => {
      return entry(folder.name, folder.hasIndex ? `${folder.name}/${INDEX}` : `${folder.name}/`, describeFolder(folder));
    });
  if (below.length > 0) sections.push(section('Subdirectories', below));
  if (files.length > 0)
    sections.push(
      section(
        'Files',
        [...files].sort(compareNames).map((file) => entry(file, file, null)),
      ),
    );
  return sections.length === 0 ? '# Contents\n' : sections.join('\n');
}

function section(title: string, entries: readonly string[]): string {
  return `# ${oneLine(title, MAX_TITLE_CHARACTERS)}\n\n${entries.map((each) => `${each}\n`).join('')}`;
}

function entry(title: string, target: string, description: string | null): string {
  const said = description === null || description.trim() === '' ? '' : ` - ${oneLine(description, MAX_DESCRIPTION_CHARACTERS)}`;
  return `* [${oneLine(title, MAX_TITLE_CHARACTERS)}](${encodeDestination(target, false)})${said}`;
}

function describeFolder({ concepts, types }: IndexContent['folders'][number]): string {
  const named = [...types].sort(compareNames);
  const rest = named.length > MAX_TYPES ? ', …' : '';
  return `${concepts} ${concepts === 1 ? 'concept' : 'concepts'}${named.length === 0 ? '' : `: ${named.slice(0, MAX_TYPES).join(', ')}${rest}`}`;
}

/** Returns a text as part of one line, in which it makes no link, tag of HTML or comment. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  const short = line.length > most ? `${line.slice(0, most).replace(/\p{Cs}$/u, '')}…` : line;
  return short.replace(/[[\]<\\]/g, (character) => `\\${character}`);
}
