import { createHash } from 'node:crypto';
import { checkName, slugify } from '../../../note/path.ts';
import { firstCharacters } from '../../../note/text.ts';
import type { KnowledgeIndex } from './knowledge-index.ts';

/** Valid group ids; a group's folder has its id as name (S3-04). */
export const GROUP_ID = /^[\w-]{1,128}$/;

/**
 * Returns the folder of a group. Its name is the group id, with a hash appended if another id differs only by case, or if the id is not a
 * portable file name.
 */
export function groupFolder(index: Pick<KnowledgeIndex, 'root' | 'groups'>, groupId: string): string {
  const hasCaseCollision = index.groups().some(({ id }) => id !== groupId && id.toLowerCase() === groupId.toLowerCase());
  const isPlain = !hasCaseCollision && checkName(groupId) === null && checkName(`${groupId}.md`) === null;
  return `${index.root}/${isPlain ? groupId : `${groupId}-${createHash('sha256').update(groupId).digest('hex').slice(0, 8)}`}`;
}

export function entitiesFolder(index: Pick<KnowledgeIndex, 'root' | 'groups'>, groupId: string): string {
  return `${groupFolder(index, groupId)}/entities`;
}

/** Returns the path of a new episode's note, in a folder for each month to keep folders small. */
export function episodePath(
  index: Pick<KnowledgeIndex, 'root' | 'groups'>,
  { groupId, name, body, referenceTime, id }: { groupId: string; name: string | null; body: string; referenceTime: string; id: string },
): string {
  const words = name ?? (/\S[^\n]*/.exec(body)?.[0] ?? '').replace(/[^\p{L}\p{N}]+/gu, ' ');
  const slug = slugify(firstCharacters(words.trim(), 40)).replace(/^untitled$/, 'episode');
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${groupFolder(index, groupId)}/episodes/${referenceTime.slice(0, 7)}/${referenceTime.slice(0, 10)}-${slug}-${hash}.md`;
}
