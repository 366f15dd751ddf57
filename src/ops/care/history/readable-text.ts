import { readFrontmatter } from '../../../note/frontmatter/read-frontmatter.ts';
import { BOOKKEEPING_KEYS } from '../../../note/frontmatter/reserved-keys.ts';
import type { FieldChange } from '../../../vault/plan/plan.ts';

/** The id at the end of a line that tools write: of a connection, a fact or an observation. */
const LINE_ID = / \^[a-z]-[0-9a-z]{6,64}$/gm;
/** A line of frontmatter with its key. */
const KEY_LINE = /^([\w-]+):(?:\s|$)/;
/** A line of a property that roux writes for itself. In a difference nothing around it shows that it is in the frontmatter. */
const BOOKKEEPING_LINE =
  /^(?:rev: \d+|(?:created|updated)_at: ['"]?\d{4}-\d\d-\d\dT[\d:.]+Z['"]?|(?:created|updated)_by: .*|id: ['"]?[a-z]{1,4}_[0-9a-z]{26}['"]?)$/;

/** Returns the text of a note as people read it in a difference: without roux's own properties and ids. */
export function readableText(text: string): string {
  const { yaml } = readFrontmatter(text);
  const readable =
    yaml === null ? text : text.slice(0, yaml.start) + withoutBookkeeping(text.slice(yaml.start, yaml.end)) + text.slice(yaml.end);
  return readable.replaceAll(LINE_ID, '');
}

/** Returns whether a line that was added or removed is only of use to roux. */
export function isBookkeepingLine(line: string): boolean {
  return BOOKKEEPING_LINE.test(line);
}

function withoutBookkeeping(yaml: string): string {
  let isLeftOut = false;
  return yaml
    .split(/(?<=\n)/)
    .filter((line) => {
      const key = KEY_LINE.exec(line)?.[1];
      // Lines of a value that goes over several lines follow its key.
      if (key !== undefined) isLeftOut = BOOKKEEPING_KEYS.has(key);
      return !isLeftOut;
    })
    .join('');
}

/** Fields that a path or the kind of the change says already, and the body, of which an event may have no more than the hash. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['body', 'path', 'file', 'linked_from', 'merged_from', 'merged_into']);

/** Returns the name of a history field in words; null if it is only of use to roux, or said elsewhere. */
export function readableField({ field }: FieldChange): string | null {
  if (BOOKKEEPING_KEYS.has(field) || SAID_ELSEWHERE.has(field)) return null;
  return field === 'inline tags' ? 'tags' : field;
}
