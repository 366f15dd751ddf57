import type { Command } from '../commands.ts';
import type { Result } from '../operations.ts';
import type { IconName } from '../parts/icon.tsx';

type Found = Result<'find_titles'>;
type TitleHit = Found['hits'][number];

/** A line of the palette. */
export interface Option {
  readonly id: string;
  readonly label: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
  /** What stands behind the label: the folder, or the title that an alias belongs to. */
  readonly aside: string;
  readonly icon: IconName;
  readonly keys: readonly string[];
  readonly action: Action;
}

/** What choosing a line does. */
export type Action =
  | { readonly kind: 'note'; readonly path: string }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'create'; readonly title: string };

export interface OptionGroup {
  readonly label: string;
  readonly options: readonly Option[];
}

const MAX_COMMANDS = 8;
const ICONS: Readonly<Record<TitleHit['kind'], IconName>> = { note: 'note', task: 'tasks', memory: 'memory', fact: 'knowledge' };
const NO_ASIDE = { marks: [], aside: '', keys: [] } as const;

/**
 * Lists what the palette offers for a text: notes, commands, and at the end the search and a new note. `found`: the notes with such a name;
 * null while they are not known. A text that begins with `>` is for commands only.
 */
export function listOptions(
  text: string,
  { found, commands, canCreate }: { readonly found: Found | null; readonly commands: readonly Command[]; readonly canCreate: boolean },
): readonly OptionGroup[] {
  const isForCommands = text.startsWith('>');
  const query = text.replace(/^>/, '').trim();
  const matching = matchCommands(commands, query);
  const commandGroup = {
    label: 'Commands',
    options: matching.slice(0, isForCommands || query === '' ? undefined : MAX_COMMANDS).map(toOption),
  };
  if (isForCommands) return withoutEmpty([commandGroup]);
  const hits = found?.hits ?? [];
  const notes = { label: query === '' ? 'Recent notes' : 'Notes', options: hits.map(toNoteOption) };
  // A command whose words were typed comes before a note that merely has the characters.
  const [first] = hits;
  const isCommandFirst = query !== '' && matching.length > 0 && (first === undefined || first.is_loose);
  const end: Option[] = query === '' ? [] : [toSearchOption(query)];
  if (query !== '' && canCreate && found !== null && !found.is_taken) end.push(toCreateOption(query));
  return withoutEmpty([...(isCommandFirst ? [commandGroup, notes] : [notes, commandGroup]), { label: 'More', options: end }]);
}

function withoutEmpty(groups: readonly OptionGroup[]): readonly OptionGroup[] {
  return groups.filter(({ options }) => options.length > 0);
}

/** Returns the commands with words that begin with the words of the query; those whose title has them come first. */
function matchCommands(commands: readonly Command[], query: string): readonly Command[] {
  const wanted = wordsOf(query);
  const has = (text: string): boolean => wanted.every((word) => wordsOf(text).some((each) => each.startsWith(word)));
  const byTitle = commands.filter(({ title }) => has(title));
  return [...byTitle, ...commands.filter((command) => !byTitle.includes(command) && has(`${command.title} ${command.keywords ?? ''}`))];
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function toOption(command: Command): Option {
  const { id, title, icon = 'keyboard', keys = [] } = command;
  return { ...NO_ASIDE, id: `command ${id}`, label: title, icon, keys, action: { kind: 'command', command } };
}

function toNoteOption({ path, title, name, marks, folder, kind }: TitleHit): Option {
  const aside = name === title ? folder : [title, folder].filter((part) => part !== '').join(' · ');
  return { id: `note ${path}`, label: name, marks, aside, icon: ICONS[kind], keys: [], action: { kind: 'note', path } };
}

function toSearchOption(query: string): Option {
  return { ...NO_ASIDE, id: 'search', label: `Search all for “${query}”`, icon: 'search', action: { kind: 'search', query } };
}

function toCreateOption(title: string): Option {
  return { ...NO_ASIDE, id: 'create', label: `Create the note “${title}”`, icon: 'note', action: { kind: 'create', title } };
}
