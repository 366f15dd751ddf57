import { createHash } from 'node:crypto';
import { baseName, checkName, fileNameFor, foldKey, slugify } from './path.ts';
import { firstCharacters } from './text.ts';

/** What decides the path of a note that a machine names. */
export interface PathRules {
  /** The folder, vault-relative. */
  readonly folder: string;
  readonly style: 'slug' | 'title';
  /** Folded base names that are taken already. */
  readonly isTaken: (foldedBaseName: string) => boolean;
}

/** Characters that a wikilink cannot hold, and those that make it a path or a block. */
const UNLINKABLE = /[#|^[\]\\/:]|%%/;
/** Room for `-<hash8>.md` within the 200 bytes of a file name. */
const STEM_BYTES = 180;

/**
 * The path of a new entity's note (docs/format.md, Body sections: names).
 * A name that links or file systems cannot hold, or whose file name is taken, gets `<slug>-<hash8>`, the hash being
 * over the name: the same name gives the same file in every process.
 */
export function entityPath(name: string, { folder, style, isTaken }: PathRules): string {
  const file = fileNameFor(name, style);
  const isPlain =
    !UNLINKABLE.test(name) && checkName(file) === null && Buffer.byteLength(file) <= STEM_BYTES && !isTaken(foldKey(baseName(file)));
  return `${folder}/${isPlain ? file : hashedFile(name, name)}`;
}

/** `<slug>-<hash8>.md`: a file called by the beginning of a text, and by what tells it from others. */
export function hashedFile(name: string, hashed: string): string {
  const hash = createHash('sha256').update(hashed, 'utf8').digest('hex').slice(0, 8);
  const slug = slugify(firstCharacters(name, 60));
  return `${slug}-${hash}.md`;
}
