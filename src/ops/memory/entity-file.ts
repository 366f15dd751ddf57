import { createHash } from 'node:crypto';

import { baseName, checkName, fileNameFor, foldKey, slugify } from '../../note/path.ts';
import { firstCharacters } from '../cut.ts';

/** Where a new entity's note goes. */
export interface EntityPlace {
  readonly name: string;
  readonly entityType: string;
}

/** What decides the path of an entity's note. */
export interface PlaceRules {
  /** The memory root, vault-relative. */
  readonly root: string;
  readonly style: 'slug' | 'title';
  /** Folded base names that are taken below the memory root. */
  readonly isTaken: (foldedBaseName: string) => boolean;
}

/** Characters that a wikilink cannot hold, and those that make it a path or a block. */
const UNLINKABLE = /[#|^[\]\\/:]|%%/;
/** Room for `-<hash8>.md` within the 200 bytes of a file name. */
const STEM_BYTES = 180;

/**
 * The path of a new entity's note, `<root>/<kind>/<file>.md` (vault-format.md, Body sections: names).
 * A name that links or file systems cannot hold, or whose file name is taken, gets `<slug>-<hash8>`, the hash being
 * over the name: the same name gives the same file in every process.
 */
export function placeEntity({ name, entityType }: EntityPlace, { root, style, isTaken }: PlaceRules): string {
  const folder = `${root}/${slugify(entityType)}`;
  const file = fileNameFor(name, style);
  const isPlain =
    !UNLINKABLE.test(name) && checkName(file) === null && Buffer.byteLength(file) <= STEM_BYTES && !isTaken(foldKey(baseName(file)));
  return `${folder}/${isPlain ? file : hashedFile(name)}`;
}

function hashedFile(name: string): string {
  const hash = createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 8);
  const slug = slugify(firstCharacters(name, 60));
  return `${slug}-${hash}.md`;
}
