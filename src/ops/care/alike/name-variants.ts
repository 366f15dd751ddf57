import { baseName, fileName, foldKey, folderOf } from '../../../note/path.ts';

/** A file whose name says that it is a copy of another one. */
export interface NameVariant {
  readonly path: string;
  readonly original: string;
  /** The name says so in words; else it differs by a number or by case, which may mean another thing. */
  readonly isCopy: boolean;
}

/** What programs and people add to the name of a copy. */
const COPY_ENDS: readonly RegExp[] = [/\.(?:bak|orig|old)$/, /~$/, /[ _]\(\d{1,3}\)$/, /[ _-]{1,3}\(?copy(?: \d{1,3})?\)?$/];
const COPY_START = /^copy of /;
/** May be a count as well: it makes a copy only beside its original. */
const NUMBER_END = /[ _-]\d{1,2}$/;

/** Finds names with `copy`, `(1)`, ` 2` or `.bak` beside one without it, and names that differ by case alone. Sorted by path. */
export function findNameVariants(paths: readonly string[]): readonly NameVariant[] {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const key = foldKey(nameOf(path));
    const same = byName.get(key);
    if (same === undefined) byName.set(key, [path]);
    else same.push(path);
  }
  return paths.flatMap((path): NameVariant[] => {
    const name = foldKey(nameOf(path));
    const copied = findOriginal(path, stemOf(name), byName);
    const original = copied ?? findBeside(path, name, byName) ?? findOtherCase(path, name, byName);
    return original === null ? [] : [{ path, original, isCopy: copied !== null }];
  });
}

type Names = ReadonlyMap<string, readonly string[]>;

/** Removes what makes the name of a copy; null if there is nothing of it. */
function stemOf(name: string): string | null {
  let stem = name.replace(COPY_START, '');
  for (const end of COPY_ENDS) stem = stem.replace(end, '');
  return stem === name || stem === '' ? null : stem;
}

/** Returns the note of this name, the one in the same folder before others. */
function findOriginal(path: string, stem: string | null, names: Names): string | null {
  const found = stem === null ? [] : (names.get(stem) ?? []);
  return found.find((other) => folderOf(other) === folderOf(path)) ?? found[0] ?? null;
}

/** Returns the note in the same folder that has the name without its number. */
function findBeside(path: string, name: string, names: Names): string | null {
  const stem = name.replace(NUMBER_END, '');
  if (stem === name || !/\p{L}/u.test(stem)) return null;
  return names.get(stem)?.find((other) => folderOf(other) === folderOf(path)) ?? null;
}

/** Returns the first note whose name differs by case alone. */
function findOtherCase(path: string, name: string, names: Names): string | null {
  const first = names.get(name)?.find((other) => nameOf(other) !== nameOf(path));
  return first !== undefined && first < path ? first : null;
}

function nameOf(path: string): string {
  return baseName(fileName(path)).normalize('NFC');
}
