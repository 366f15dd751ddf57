import type { Properties } from '../../note/note.ts';
import { declaredVersion, hasReservedName, INDEX, VERSION_KEY } from '../../note/okf/reserved.ts';
import { fileName, foldersAbove } from '../../note/path.ts';

/** Returns whether a note makes its folder a bundle: an `index.md` with `okf_version`. */
export function declaresBundle(note: { readonly path: string; readonly yaml?: string; readonly properties: Properties }): boolean {
  // Most notes are none, and their properties are not parsed for it.
  return fileName(note.path) === INDEX && note.yaml?.includes(VERSION_KEY) === true && declaredVersion(note.properties) !== null;
}

/** Which folders of a graph are bundles of the Open Knowledge Format. */
export interface BundleView {
  /** The top folders, by path; `''` is the vault itself. */
  readonly tops: readonly string[];
  /** Those that the settings name. */
  readonly named: readonly string[];
  /** Those whose `index.md` says so. */
  readonly declared: readonly string[];
  /** Returns the top folder of the innermost bundle that contains a file; null if none does. */
  topOf(path: string): string | null;
  /** Returns whether a file is an `index.md` or `log.md` of a bundle: hidden, and no target of links by name. */
  isReserved(path: string): boolean;
}

/**
 * The folders that are bundles of the Open Knowledge Format: those that the settings name, and those whose `index.md` says so. In all other
 * folders `index.md` and `log.md` are notes like any other.
 */
export class Bundles implements BundleView {
  #named: ReadonlySet<string> = new Set();
  readonly #declared = new Set<string>();

  get named(): readonly string[] {
    return [...this.#named];
  }

  get declared(): readonly string[] {
    return [...this.#declared];
  }

  get tops(): readonly string[] {
    return [...new Set([...this.#named, ...this.#declared])].sort();
  }

  /** Sets the folders that the settings name. Returns those that became bundles or ceased to be one. */
  name(folders: readonly string[]): readonly string[] {
    const before = this.#named;
    this.#named = new Set(folders);
    const changed = [...new Set([...before, ...folders])].filter((folder) => before.has(folder) !== this.#named.has(folder));
    return changed.filter((folder) => !this.#declared.has(folder));
  }

  /** Sets what the `index.md` of a folder says. Returns true if the folder became a bundle or ceased to be one. */
  declare(folder: string, isBundle: boolean): boolean {
    if (this.#declared.has(folder) === isBundle) return false;
    if (isBundle) this.#declared.add(folder);
    else this.#declared.delete(folder);
    return !this.#named.has(folder);
  }

  topOf(path: string): string | null {
    if (this.#named.size === 0 && this.#declared.size === 0) return null;
    const isTop = (folder: string): boolean => this.#named.has(folder) || this.#declared.has(folder);
    return foldersAbove(path).findLast(isTop) ?? (isTop('') ? '' : null);
  }

  isReserved(path: string): boolean {
    return hasReservedName(path) && this.topOf(path) !== null;
  }
}
