import { isVisible } from '../../../terminal-text.ts';
import type { Remembered } from '../../host.ts';
import type { Command } from '../command.ts';
import { COMMON_OPTIONS, optionHelp } from '../options.ts';
import type { CommandOption, CommandOptions, WordKind } from '../options.ts';

/** A word that could replace the one at the cursor. */
export interface Candidate {
  readonly text: string;
  /** A short description, for shells that show one. */
  readonly about?: string;
}

/** The answer to a completion: candidates, or a request that the shell complete its own files or folders. */
export type Completion = { readonly kind: 'words'; readonly words: readonly Candidate[] } | { readonly kind: 'files' | 'folders' };

/** The position to complete: the words between the command's name and the cursor, and the beginning of the word at the cursor. */
export interface Place {
  readonly command: Command;
  readonly words: readonly string[];
  readonly current: string;
}

/** Where candidates come from. */
export interface Sources {
  readonly remembered: () => Promise<Remembered>;
  readonly tasksRoot: () => string;
  /** Returns the paths of the repository around the vault that go on from what is typed. */
  readonly code: (typed: string) => readonly string[];
  readonly commands: readonly string[];
}

const MAX_CANDIDATES = 100;
/** Longer candidates would fill the screen. */
const MAX_CANDIDATE_CHARACTERS = 300;
const PERIODS = [
  '@today',
  '@yesterday',
  '@tomorrow',
  '@this-week',
  '@last-week',
  '@next-week',
  '@this-month',
  '@last-month',
  '@next-month',
];

/** Returns what could be typed at a position of the command line. */
export async function completePlace({ command, words, current }: Place, sources: Sources): Promise<Completion> {
  const options: CommandOptions = { ...command.options, ...COMMON_OPTIONS };
  const read = readWordsBefore(words, options, command.isLiteral === true);
  if (read.waiting !== null) return complete(read.waiting, { lead: '', beginning: current }, sources);
  const [, name = '', value] = (read.isOver ? null : /^--([^=]+)=(.*)$/s.exec(current)) ?? [];
  if (value !== undefined) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const found = await complete(kindOf(option), { lead: '', beginning: value }, sources);
    return found.kind === 'words' ? { ...found, words: found.words.map(({ text }) => ({ text: `--${name}=${text}` })) } : found;
  }
  if (!read.isOver && current.startsWith('-')) return matchWords(optionNames(options), current);
  return complete(...argumentAt(command, read.args, current), sources);
}

/** Splits the words before the cursor into arguments and options. `waiting` is the kind of the option value that is due, or null. */
function readWordsBefore(words: readonly string[], options: CommandOptions, isLiteral: boolean) {
  const args: string[] = [];
  let isOver = isLiteral;
  let waiting: WordKind | null = null;
  for (const word of words) {
    if (waiting !== null) waiting = null;
    else if (isOver || !/^-./s.test(word)) args.push(word);
    else if (word === '--') isOver = true;
    else waiting = valueAfter(word, options);
  }
  return { args, isOver, waiting };
}

/** Returns the kind of the value that must follow an option, or null if the option takes none. */
function valueAfter(word: string, options: CommandOptions): WordKind | null {
  const [, name] = Object.entries(options).find(([long, { short }]) => word === `--${long}` || word === `-${short ?? '-'}`) ?? [];
  return name === undefined || name.type === 'boolean' ? null : kindOf(name);
}

function kindOf(option: CommandOption | undefined): WordKind {
  return (option?.type === 'string' ? (option.choices ?? option.completes) : undefined) ?? 'any';
}

function optionNames(options: CommandOptions): readonly Candidate[] {
  return Object.entries(options).map(([name, option]) => ({ text: `--${name}`, about: optionHelp(option) }));
}

/** A word and how much of it was typed. `lead` holds the earlier words of an argument of several words, such as a title. */
interface Typed {
  readonly lead: string;
  readonly beginning: string;
}

function argumentAt({ takesVault, isRepeated, positionals = [] }: Command, args: readonly string[], current: string): [WordKind, Typed] {
  if (takesVault === true) return ['folder', { lead: '', beginning: current }];
  const last = positionals.length - 1;
  const isJoined = positionals[last]?.isJoined === true;
  const at = isJoined ? Math.min(args.length, last) : isRepeated === true ? args.length % (last + 1) : args.length;
  const before = isJoined ? args.slice(last) : [];
  const word = positionals[at];
  return [word?.choices ?? word?.completes ?? 'any', { lead: before.map((each) => `${each} `).join(''), beginning: current }];
}

async function complete(kind: WordKind, typed: Typed, sources: Sources): Promise<Completion> {
  if (kind === 'file') return { kind: 'files' };
  if (kind === 'folder') return { kind: 'folders' };
  if (kind === 'query') return completeQuery(typed, sources);
  const { lead, beginning } = typed;
  const whole = lead + beginning;
  // In a comma-separated list, the last item is being typed.
  const comma = kind === 'tag' || typeof kind === 'object' ? beginning.lastIndexOf(',') + 1 : 0;
  const before = beginning.slice(0, comma);
  const found = await listWords(kind, lead + beginning.slice(comma), sources);
  if (lead === '')
    return matchWords(
      found.map(({ text, ...rest }) => ({ text: before + text, ...rest })),
      beginning,
    );
  // The earlier words are on the line already, in whatever case they were typed.
  const rest = found.filter(
    ({ text }) => text.slice(0, lead.length).toLowerCase() === lead.toLowerCase() && text.length > whole.length - 1,
  );
  return matchWords(
    rest.map(({ text }) => ({ text: text.slice(lead.length) })),
    beginning,
  );
}

/** Completes names after `tag:` and `type:`; the rest of a query is free text. */
async function completeQuery({ beginning }: Typed, sources: Sources): Promise<Completion> {
  const [, operator = '', rest = ''] = /^(-?(?:tag|type):)(.*)$/s.exec(beginning) ?? [];
  if (operator === '') return { kind: 'words', words: [] };
  const found = await listWords(operator.endsWith('tag:') ? 'tag' : 'type', rest, sources);
  // In a query, several words would be several conditions.
  return matchWords(
    found.filter(({ text }) => !/[\s"()]/.test(text)).map(({ text }) => ({ text: operator + text })),
    beginning,
  );
}

async function listWords(
  kind: Exclude<WordKind, 'file' | 'folder' | 'query'>,
  beginning: string,
  sources: Sources,
): Promise<readonly Candidate[]> {
  if (typeof kind === 'object') return kind.map((text) => ({ text }));
  if (kind === 'any') return [];
  if (kind === 'command') return sources.commands.map((text) => ({ text }));
  const vault = await sources.remembered();
  switch (kind) {
    case 'note':
      return beginning.startsWith('@') ? toWords(PERIODS) : noteWords(vault, beginning);
    case 'note-or-code':
      return [...noteWords(vault, beginning), ...toWords(sources.code(beginning))];
    case 'reference':
      return beginning.startsWith('#')
        ? toWords(tagsOf(vault).map((tag) => `#${tag}`))
        : [...noteWords(vault, beginning), ...toWords(vault.attachments), ...toWords(foldersOf(vault).map((folder) => `${folder}/`))];
    case 'base':
      return toWords(vault.attachments.filter((path) => /\.base$/i.test(path)));
    case 'tag':
      return toWords(tagsOf(vault).map((tag) => (beginning.startsWith('#') ? `#${tag}` : tag)));
    case 'type':
      return toWords(unique(vault.notes.flatMap(({ type }) => (type === null ? [] : [type]))).toSorted());
    case 'project':
      return toWords(projectsOf(vault, sources.tasksRoot()));
    case 'place':
      return toWords(foldersOf(vault));
  }
}

function toWords(texts: readonly string[]): readonly Candidate[] {
  return texts.map((text) => ({ text }));
}

/** Returns the titles that are unique, and paths for the other notes and for those that are addressed by path. */
function noteWords({ notes }: Remembered, beginning: string): readonly Candidate[] {
  const wanted = beginning.toLowerCase();
  const times = new Map<string, number>();
  for (const { title } of notes) times.set(title, (times.get(title) ?? 0) + 1);
  const titled = notes.filter(({ title }) => times.get(title) === 1);
  const byPath = notes.filter(({ title }) => times.get(title) !== 1 || wanted.includes('/') || !title.toLowerCase().startsWith(wanted));
  return [...titled.map(({ title, path }) => ({ text: title, about: path })), ...toWords(byPath.map(({ path }) => path))];
}

/** Returns all tags including their parents: `a/b` implies `a`. */
function tagsOf({ notes }: Remembered): readonly string[] {
  return unique(
    notes.flatMap(({ tags }) => tags.flatMap((tag) => tag.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')))),
  ).toSorted();
}

function foldersOf({ notes, attachments }: Remembered): readonly string[] {
  const parents = [...notes.map(({ path }) => path), ...attachments].flatMap((path) =>
    path
      .split('/')
      .slice(0, -1)
      .map((_, at, parts) => parts.slice(0, at + 1).join('/')),
  );
  return unique(parents).toSorted();
}

function projectsOf({ notes }: Remembered, root: string): readonly string[] {
  const inRoot = notes.filter(({ type, path }) => type === 'project' && path.startsWith(`${root}/`));
  return unique(inRoot.map(({ path }) => path.slice(root.length + 1).split('/')[0] ?? '')).toSorted();
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Returns the candidates that start with what was typed or, if there are none, those that contain it. */
function matchWords(candidates: readonly Candidate[], beginning: string): Completion {
  const wanted = beginning.toLowerCase();
  const isOption = beginning.startsWith('-');
  const fitting = dropUnsuitable(candidates, isOption).filter(({ text }) => text.toLowerCase().includes(wanted));
  const begun = fitting.filter(({ text }) => text.toLowerCase().startsWith(wanted));
  const byText = new Map((begun.length > 0 ? begun : fitting).map((candidate) => [candidate.text, candidate]));
  return { kind: 'words', words: [...byText.values()].slice(0, MAX_CANDIDATES) };
}

/** Drops candidates that contain invisible characters, are too long, or would be taken for an option. */
function dropUnsuitable(candidates: readonly Candidate[], mayBeOption: boolean): readonly Candidate[] {
  return candidates.filter(({ text }) => {
    const isSeen = text !== '' && text.length <= MAX_CANDIDATE_CHARACTERS && isVisible(text) && !/\p{Surrogate}/u.test(text);
    return isSeen && (mayBeOption || !text.startsWith('-'));
  });
}
