import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { turnAt } from './effort.ts';
import { repositoryRoot, shared } from './vault.ts';

/** A vault that tests read in place, or change in a copy. */
export interface ManyNotes {
  readonly name: string;
  /** Absolute path. */
  readonly root: string;
  /** False where a public vault does not lie beside the repository: its tests are skipped. */
  readonly isThere: boolean;
  /** Written by people and programs that knew nothing of roux; the others are small, and stand in for these. */
  readonly isReal: boolean;
}

/** Of `vault-fixtures`: links of every form, properties, names outside Latin script, Markdown links and repeated names. */
const SMALL: readonly string[] = ['every-link', 'library', 'chinese', 'manual'];
const REAL: readonly string[] = ['obsidian-help-en', 'kepano', 'obsidian-help-zh', 'obsidian-developer-docs'];

/** Every vault of many notes: the small ones always, the public ones where they are. */
export const vaults: readonly ManyNotes[] = [
  ...SMALL.map((name) => ({ name, root: join(repositoryRoot, 'vault-fixtures', name), isThere: true, isReal: false })),
  ...REAL.map((name) => ({ name, root: shared(`vaults/${name}`), isThere: existsSync(shared(`vaults/${name}`)), isReal: true })),
];

/** The small ones and, in turn, one of the public ones, each of which costs seconds; all of them in a long run. */
export function vaultsInTurn(turn: number): readonly ManyNotes[] {
  return [
    ...vaults.filter(({ isReal }) => !isReal),
    ...turnAt(
      turn,
      vaults.filter(({ isReal }) => isReal),
    ),
  ];
}

/** Those of these names. */
export function vaultsNamed(...names: readonly string[]): readonly ManyNotes[] {
  return vaults.filter(({ name }) => names.includes(name));
}

/** The relative paths of all files in a vault, sorted. */
export function filesOf({ root }: Pick<ManyNotes, 'root'>): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}

/** The notes of a vault with their texts; none where it is not there. */
export function notesOf(vault: ManyNotes): readonly { readonly file: string; readonly text: string }[] {
  if (!vault.isThere) return [];
  return filesOf(vault)
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ file, text: readFileSync(join(vault.root, file), 'utf8') }));
}
