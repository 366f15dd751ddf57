import { fileName, foldKey, folderOf, joinPath } from '../../../note/path.ts';
import type { FileSystem } from '../../folder/file-system.ts';

/** Another file of the folder whose name differs from this one by case or Unicode form alone; null: none. */
export function findCaseCollision(files: Pick<FileSystem, 'list'>, path: string): string | null {
  const [folder, name] = [folderOf(path), fileName(path)];
  const twin = files.list(folder)?.find((entry) => entry.name !== name && foldKey(entry.name) === foldKey(name));
  return twin === undefined ? null : joinPath(folder, twin.name);
}
