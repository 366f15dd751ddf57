import { fileName, foldKey, folderOf, joinPath } from '../../../note/path.ts';
import type { FileSystem } from '../../folder/file-system.ts';

/** Returns the path of another file whose name differs only in case or Unicode form; null if there is none. */
export function findCaseCollision(files: Pick<FileSystem, 'list'>, path: string): string | null {
  const [folder, name] = [folderOf(path), fileName(path)];
  const other = files.list(folder)?.find((entry) => entry.name !== name && foldKey(entry.name) === foldKey(name));
  return other === undefined ? null : joinPath(folder, other.name);
}
