import { baseName } from '../../note/path.ts';
import type { Draft } from './draft.ts';

/** Summaries of tasks by their paths, quoted, for messages. */
export function namesOf(draft: Draft, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `"${draft.at(path)?.summary ?? baseName(path)}"`);
}
