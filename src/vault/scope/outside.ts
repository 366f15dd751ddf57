import type { FolderScope } from '../../folder-globs.ts';
import type { Plan, PlannedFile } from '../plan/plan.ts';

/** Returns the paths outside of the folders that a write would change: where a file is, where it goes, and where links lead. */
export function listOutside(folders: FolderScope, files: readonly PlannedFile[]): readonly string[] {
  const paths = files.filter((file) => !isUnchanged(file)).flatMap(({ pathBefore, pathAfter, file }) => [pathBefore, pathAfter, file]);
  return [...new Set(paths)].filter((path) => path !== null && !folders.has(path)) as readonly string[];
}

function isUnchanged({ pathBefore, pathAfter, before, after }: PlannedFile): boolean {
  return pathBefore === pathAfter && before !== null && before === after;
}

/** Returns the plan without the removal of folders that are outside, or above. */
export function keepFoldersOutside<P extends Plan>(plan: P, folders: FolderScope): P {
  const isInside = (folder: string): boolean => folders.has(`${folder}/any`);
  const [emptied, vacated] = [plan.emptied?.filter(isInside), plan.vacated?.filter(isInside)];
  return { ...plan, ...(emptied === undefined ? {} : { emptied }), ...(vacated === undefined ? {} : { vacated }) };
}
