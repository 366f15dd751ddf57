import { createHash } from 'node:crypto';
import { baseName, checkName, fileNameFor, foldKey, slugify } from './path.ts';
import { firstCharacters } from './text.ts';

/** Rules for the path of a note that a machine names. */
export interface PathRules {
  /** The folder, vault-relative. */
  readonly folder: string;
  readonly style: 'slug' | 'title';
  /** Returns whether a folded base name is taken. */
  readonly isTaken: (foldedBaseName: string) => boolean;
}

/** Characters that a wikilink cannot contain, and those that make it a path or a block. */
const UNLINKABLE = /[#|^[\]\\/:]|%%/;
/** Room for `-<hash8>.md` within the 200 bytes of a file name. */
const MAX_STEM_BYTES = 180;

/**
 * Returns the path of a new entity's note (docs/format.md, Body sections: names). If the name does not work in links or file systems, or
 * its file name is taken, it becomes `<slug>-<hash8>` with a hash of the name, so that the same name gives the same file in every process. If
 * that is taken too, as by the entity of another group, the hash is of folder and name.
 */
export function entityPath(name: string, { folder, style, isTaken }: PathRules): string {
  const file = fileNameFor(name, style);
  const isPlain =
    !UNLINKABLE.test(name) && checkName(file) === null && Buffer.byteLength(file) <= MAX_STEM_BYTES && !isTaken(foldKey(baseName(file)));
  if (isPlain) return `${folder}/${file}`;
  const hashed = hashedFile(name, name);
  return `${folder}/${isTaken(foldKey(baseName(hashed))) ? hashedFile(name, `${folder}/${name}`) : hashed}`;
}

/** Returns `<slug>-<hash8>.md`: a name from the start of a text, with a hash to distinguish it. */
export function hashedFile(name: string, hashed: string): string {
  const hash = createHash('sha256').update(hashed, 'utf8').digest('hex').slice(0, 8);
  const slug = slugify(firstCharacters(name, 60));
  return `${slug}-${hash}.md`;
}
