import { setImmediate } from 'node:timers/promises';
import { sliced } from '../../../../graph/search/scan.ts';
import type { NoteEntry } from '../../../../graph/view.ts';
import { readFields } from '../../../../note/checkboxes/checkbox-fields.ts';
import type { CheckboxFields } from '../../../../note/checkboxes/checkbox-fields.ts';
import { readCheckboxes } from '../../../../note/checkboxes/read-checkboxes.ts';
import type { Checkbox } from '../../../../note/checkboxes/read-checkboxes.ts';
import { foldKey } from '../../../../note/path.ts';
import { templateFolder } from '../../../../vault/obsidian/template-text.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { shorten } from '../../../shorten.ts';
import { tagsOf } from '../../write/shapes.ts';
import { plainLine } from '../plain-line.ts';

/** Checkboxes of a vault; notes beyond are not read. */
const MAX_CHECKBOXES = 200_000;
const MAX_TEXT_CHARACTERS = 400;

/** A checkbox with what is written about it. */
export interface IndexedCheckbox extends Omit<Checkbox, 'text'> {
  /** Plain text without the fields. */
  readonly text: string;
  readonly fields: CheckboxFields;
  /** Folded tags of the line, without `#`. */
  readonly tags: readonly string[];
}

/** The checkboxes of a note, in the order of its text. */
export interface NoteCheckboxes {
  readonly entry: NoteEntry;
  /** Folded tags of the frontmatter: those of the text belong to their lines. */
  readonly tags: readonly string[];
  readonly checkboxes: readonly IndexedCheckbox[];
}

export interface CheckboxList {
  /** Notes with checkboxes, by path. Those in Obsidian's folder of templates are left out. */
  readonly notes: readonly NoteCheckboxes[];
  readonly isComplete: boolean;
}

/** Returns a function that lists the checkboxes of a vault. A note is read again only after it has changed. */
export function openCheckboxIndex(vault: Vault): () => Promise<CheckboxList> {
  let known = new Map<string, NoteCheckboxes>();
  let last: { readonly version: number; readonly templates: string; readonly list: CheckboxList } | null = null;
  let reading: Promise<CheckboxList> | null = null;

  const readAll = async (): Promise<CheckboxList> => {
    const { version } = vault.graph;
    const templates = excludedFolder(vault);
    if (last?.version === version && last.templates === templates) return last.list;
    const slice = sliced();
    const next = new Map<string, NoteCheckboxes>();
    const notes: NoteCheckboxes[] = [];
    let left = MAX_CHECKBOXES;
    // Chosen first: the graph may change while others run.
    for (const entry of Array.from(vault.graph.entries())) {
      if (left <= 0) break;
      if (templates !== '' && foldKey(entry.path).startsWith(templates)) continue;
      const before = known.get(entry.path);
      let note: NoteCheckboxes | null = null;
      if (before?.entry.hash === entry.hash) note = { entry, tags: before.tags, checkboxes: before.checkboxes };
      else {
        const text = vault.notes.readTextUnstable(entry.path);
        if (text === null) continue;
        slice.spend(text.length + 1000);
        const checkboxes = readCheckboxes(text).map(toIndexed);
        note = { entry, tags: checkboxes.length === 0 ? [] : tagsOf(entry.properties['tags'] ?? null).map(foldKey), checkboxes };
      }
      next.set(entry.path, note);
      if (note.checkboxes.length > 0) notes.push(note);
      left -= note.checkboxes.length;
      if (slice.isOver()) await setImmediate();
    }
    known = next;
    const list: CheckboxList = { notes, isComplete: left > 0 };
    last = { version, templates, list };
    return list;
  };

  // Two calls at once read once.
  return () => (reading ??= readAll().finally(() => (reading = null)));
}

/** Returns the folded folder of Obsidian's templates with `/`; `''` for none. Their boxes are no tasks yet. */
function excludedFolder(vault: Vault): string {
  const folder = templateFolder(vault.settings.obsidian('templates.json'));
  return folder === '' ? '' : `${foldKey(folder)}/`;
}

const TAG = /(?<=^|[\s(])#([\p{L}\p{N}_\-/]+)/gu;

function toIndexed({ text: written, ...checkbox }: Checkbox): IndexedCheckbox {
  const { text, fields } = readFields(written);
  const tags = [...text.matchAll(TAG)].flatMap(([, tag = '']) => (/^\d+$/.test(tag) ? [] : [foldKey(tag)]));
  return { ...checkbox, text: shorten(plainLine(text).text, MAX_TEXT_CHARACTERS), fields, tags };
}
