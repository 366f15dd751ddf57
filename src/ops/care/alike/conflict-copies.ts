import { setImmediate } from 'node:timers/promises';
import { sliced } from '../../../graph/search/scan.ts';
import { readConflictName } from '../../../note/conflict-copy.ts';
import type { ConflictName } from '../../../note/conflict-copy.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { bodyStartOf } from '../../../note/frontmatter/read-frontmatter.ts';
import { foldKey } from '../../../note/path.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { CheckInput, Finding } from '../finding.ts';
import { similarity, sketchText } from './text-sketch.ts';
import type { TextSketch } from './text-sketch.ts';

/** Share of runs of words in common below which notes with such names are about different things. */
const MIN_LIKELY_SHARE = 0.2;
const MIN_POSSIBLE_SHARE = 0.5;

/** Finds notes that roux or a sync service made of a conflict (O-10). Reads the texts of those alone of which only the names say so. */
export async function findConflictCopies({ vault, entries }: CheckInput): Promise<readonly Finding[]> {
  const byKey = new Map(entries.map((entry) => [foldKey(entry.path), entry]));
  const found: Finding[] = [];
  const sketches = openSketches(vault);
  const slice = sliced();
  for (const entry of entries) {
    if (slice.isOver()) await setImmediate();
    const name = readConflictName(entry.path, (path) => byKey.has(foldKey(path)));
    if (name === null) continue;
    const original = byKey.get(foldKey(name.original));
    if (name.strength !== 'certain' && (original === undefined || !isCopy(sketches, entry, original, name.strength))) continue;
    const paths = original === undefined ? [entry.path] : [entry.path, original.path];
    found.push({ kind: 'conflict-copy', paths, message: describe(entry.path, original?.path ?? null, name) });
  }
  return found;
}

/** Returns whether a note is likely a copy. A copy has the id of its original, if both have one, and most of its text. */
function isCopy(sketches: Sketches, entry: NoteEntry, original: NoteEntry, strength: ConflictName['strength']): boolean {
  const [id, originalId] = [entry.properties['id'], original.properties['id']];
  if (id !== undefined && originalId !== undefined) return id === originalId;
  const [own, other] = [sketches.read(entry), sketches.readOriginal(original)];
  // Too short to be compared, or not to be read.
  if (own === null || other === null) return strength === 'likely';
  return similarity(own, other) >= (strength === 'likely' ? MIN_LIKELY_SHARE : MIN_POSSIBLE_SHARE);
}

interface Sketches {
  read(entry: NoteEntry): TextSketch | null;
  readOriginal(entry: NoteEntry): TextSketch | null;
}

/** Opens the sketches of texts. That of the last original is cached: its copies follow one another, and may be hundreds. */
function openSketches({ notes }: Pick<Vault, 'notes'>): Sketches {
  let last: { readonly entry: NoteEntry; readonly sketch: TextSketch | null } | null = null;
  const read = ({ path }: NoteEntry): TextSketch | null => {
    const text = notes.readTextUnstable(path);
    return text === null ? null : sketchText(text.slice(bodyStartOf(text)));
  };
  return {
    read,
    readOriginal(entry) {
      if (last?.entry !== entry) last = { entry, sketch: read(entry) };
      return last.sketch;
    },
  };
}

function describe(path: string, original: string | null, { service, strength, ...named }: ConflictName): string {
  if (original === null)
    return `${path} is a conflict copy of ${named.original}, which is not there; rename it if it is wanted, or delete it`;
  const compare = `compare the two, add what is missing to ${original}, then delete the copy`;
  if (strength === 'certain') return `${path} is a conflict copy of ${original} (${service}); ${compare}`;
  return `${path} may be a conflict copy that ${service} made of ${original}; ${compare}, or rename it if it is a note of its own`;
}
