import { parse } from 'yaml';

import { COPY, FAULTS, HUB, type DayVault, type Fault } from './faults.ts';

type Texts = ReadonlyMap<string, string>;

/** The vault as it has to be in the evening, to the byte, from the public vault. */
export function expectedTexts(vault: DayVault, before: Texts): Map<string, string> {
  const after = new Map(before);
  for (const fault of FAULTS.filter((each) => each.vault === vault && each.kind !== 'folder'))
    if (fault.kind !== 'folder') after.set(fault.file, (after.get(fault.file) ?? '').replaceAll(fault.before, fault.right));
  if (vault === COPY.vault) {
    const lists = `  - "${COPY.topic}"\ntags:\n  - ${COPY.tag}\naliases:\n  - Buy wisely copy\n---\n`;
    const text = before.get(COPY.of) ?? '';
    const head = text.indexOf('\n---\n') + 1;
    after.set(COPY.of, `${text.slice(0, head)}${lists}${text.slice(head + 4)}\n\n${COPY.text}`);
    after.set(COPY.linking, 'Read [[Buy wisely]] again.\n');
  }
  return vault === HUB.vault ? withHubRenamed(after) : after;
}

/** A link whose text is the name of the note gets the new one there too; other texts stay. */
function withHubRenamed(texts: Texts): Map<string, string> {
  const path = (name: string): string => `${HUB.folder}/${name}.md`;
  const renamed = [...texts].map(([file, text]): [string, string] => [
    file === path(HUB.from) ? path(HUB.to) : file,
    text.replaceAll(`[${HUB.from}](${HUB.from})`, `[${HUB.to}](${HUB.to})`).replaceAll(`](${HUB.from})`, `](${HUB.to})`),
  ]);
  return new Map(renamed);
}

/** Paths of which the text is not as it should be, or that should not be there, or are missing. */
export function differences(expected: Texts, after: Texts): string[] {
  const paths = new Set([...expected.keys(), ...after.keys()]);
  return [...paths].filter((path) => expected.get(path) !== after.get(path)).toSorted();
}

/** Files that none of the jobs concerns and that are not as before. */
export function othersChanged(vault: DayVault, before: Texts, after: Texts): string[] {
  const concerned = new Set<string>([COPY.of, COPY.path, COPY.linking, `${HUB.folder}/${HUB.from}.md`, `${HUB.folder}/${HUB.to}.md`]);
  for (const fault of FAULTS.filter((each) => each.vault === vault)) concerned.add(fault.file);
  return differences(before, after).filter((path) => !concerned.has(path) && before.get(path)?.includes(`](${HUB.from})`) !== true);
}

/** The repairs that are done. Of a list its items count, however they are written. */
export function repaired(vault: DayVault, after: Texts): Fault[] {
  return FAULTS.filter((fault) => {
    if (fault.vault !== vault) return false;
    const text = after.get(fault.file);
    if (text === undefined) return false;
    if (fault.kind === 'folder') return !after.has(fault.wrong);
    if (fault.kind !== 'list') return [fault.right, fault.before].some((right) => text.includes(right)) && !text.includes(fault.wrong);
    return hasAll(listsOf(text), Object.entries(listsOf(`---\n${fault.right}\n---\n`)));
  });
}

/** Items of lists that were in the vault in the morning and are nowhere in the note in the evening, without those that were to be put right. */
export function lostItems(vault: DayVault, morning: Texts, after: Texts): string[] {
  const faults = FAULTS.filter((fault) => fault.vault === vault);
  const moved = new Map<string, string>([
    ...faults.flatMap((fault) => (fault.kind === 'folder' ? [[fault.wrong, fault.file] as const] : [])),
    [COPY.path, COPY.of],
    [`${HUB.folder}/${HUB.from}.md`, `${HUB.folder}/${HUB.to}.md`],
  ]);
  return [...morning].flatMap(([path, text]) => {
    const now = listsOf(after.get(moved.get(path) ?? path) ?? '');
    const mended = faults.flatMap((fault) => (fault.kind !== 'folder' && fault.file === path ? [fault] : []));
    return Object.entries(listsOf(text)).flatMap(([key, items]) =>
      items
        .map((item) => mended.reduce((put, { kind, wrong, right }) => (kind === 'link' && put === wrong ? right : put), item))
        .filter((item) => !mended.some(({ kind, right }) => kind === 'list' && !right.includes(item)))
        .filter((item) => !(now[key] ?? []).includes(item))
        .map((item) => `${path}: ${key}: ${item}`),
    );
  });
}

/** Links to the hub by the name that it had. */
export function hubLinksLeft(after: Texts): number {
  return [...after.values()].reduce((sum, text) => sum + text.split(`](${HUB.from})`).length - 1, 0);
}

function hasAll(lists: Lists, wanted: readonly (readonly [string, readonly string[]])[]): boolean {
  return wanted.every(([key, items]) => items.length === (lists[key] ?? []).length && items.every((item) => lists[key]?.includes(item)));
}

type Lists = Readonly<Record<string, readonly string[]>>;

/** The lists of a note's frontmatter; a single value is a list of one. */
function listsOf(text: string): Lists {
  const [, yaml = ''] = /^---\n([\s\S]*?)\n---(?:\n|$)/.exec(text) ?? [];
  return Object.fromEntries(
    [...readYaml(yaml)].flatMap(([key, value]) => (value === null ? [] : [[String(key), [value].flat().map(String)]])),
  );
}

function readYaml(yaml: string): ReadonlyMap<unknown, unknown> {
  try {
    const values: unknown = parse(yaml, { mapAsMap: true });
    return values instanceof Map ? values : new Map();
  } catch {
    // A template with `{{title}}` in it.
    return new Map();
  }
}
