import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { composeNote } from '../../../note/compose.ts';
import { editProperties } from '../../../note/frontmatter/property-edit.ts';
import { sameValue, typeNameOf } from '../../../note/frontmatter/property-value.ts';
import { readFrontmatter } from '../../../note/frontmatter/read-frontmatter.ts';
import { STAMP_KEYS } from '../../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { foldKey } from '../../../note/path.ts';
import { checkNodeType, isToolType } from '../../vault-ontology.ts';
import type { OperationContext } from '../../operation.ts';
import { tagsOf } from './shapes.ts';
import type { Update } from './shapes.ts';

/** The frontmatter at the start of given content, and the body after it. */
interface ContentBlock {
  /** The block with its delimiters. */
  readonly text: string;
  readonly data: Properties;
  readonly body: string;
}

/** Keys that content cannot change: identity, origin and encoding of a note. */
const FIXED: ReadonlySet<string> = new Set(['id', 'created_at', 'created_by', 'format', 'encoding']);

/**
 * Reads the frontmatter at the start of the content for a note, or returns null: after a second frontmatter block the content would be
 * text. Throws `INVALID_PARAMS` if it cannot be parsed. A block without keys counts as text.
 */
function readBlock(content: string): ContentBlock | null {
  const { block, data, isReadable, problems } = readFrontmatter(content);
  if (block === null) return null;
  const problem = problems[0];
  if (!isReadable || problem !== undefined) {
    const reason = problem === undefined ? 'it is no list of properties' : problem.message.replace(/(?<![\s.:])[\s.:]+$/, '');
    const message = `content: it begins with a frontmatter block that cannot be read: ${reason}. Correct it, or put an empty line before it where it is text.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'content', line: problem?.line ?? 1 });
  }
  return Object.keys(data).length === 0 ? null : { text: content.slice(0, block.end), data, body: content.slice(block.end) };
}

function collision(key: string, remedy: string): RouxError {
  return new RouxError('INVALID_PARAMS', `content: the frontmatter that it begins with says ${key}: ${remedy}.`, {
    field: 'content',
    property: key,
  });
}

const CONFLICTING = 'the call says it otherwise; give it once';

/**
 * Composes a new note from its properties and content that may begin with frontmatter, whose notation is retained. Throws if the arguments
 * say something else, or if the block sets what only an argument can.
 */
export function composeWithBlock(
  context: OperationContext,
  {
    path,
    title,
    properties,
    content,
  }: {
    readonly path: string;
    readonly title: string;
    readonly properties: { readonly [key: string]: PropertyValue | undefined };
    readonly content: string;
  },
): string {
  const block = readBlock(content);
  if (block === null) return composeNote({ properties, body: content });
  const { data } = block;
  const { id } = data;
  const type = typeNameOf(data['type']);
  if (type !== null) checkNodeType(context, type);
  if (data['title'] !== undefined && data['title'] !== title) throw collision('title', CONFLICTING);
  for (const key of ['format', 'encoding']) if (Object.hasOwn(data, key)) throw collision(key, `give it as the argument ${key}`);
  const own = typeof id === 'string' || typeof id === 'number' ? String(id) : null;
  const other = own === null ? null : context.vault.graph.lookup(own);
  if (other?.kind === 'found' && other.entry.id === own) throw collision('id', `${other.entry.path} has it already; leave it out`);
  const sets = Object.entries(properties).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(data, key)) return [{ op: 'set' as const, key: [key], value }];
    if (STAMP_KEYS.includes(key) || FIXED.has(key) || isSame(key, value, data[key])) return [];
    throw collision(key, CONFLICTING);
  });
  return editProperties(path, content, sets);
}

/** An update whose content began with frontmatter: the content without it, and the values of the block that the arguments do not cover. */
export interface SeparatedUpdate {
  readonly update: Update;
  /** Values of the block that the note does not have. */
  readonly values: Properties;
}

/** Separates the frontmatter from the content of an update: its keys are set like properties, other keys of the note stay. */
export function separateFrontmatter(
  context: OperationContext,
  entry: NoteEntry,
  { update, body }: { readonly update: Update; readonly body: string },
): SeparatedUpdate {
  const { content, format, encoding } = update;
  const { format: formatNow, encoding: encodingNow } = entry.properties;
  const isExact = [format, encoding, formatNow, encodingNow].some((each) => each !== undefined);
  const whole: SeparatedUpdate = { update, values: {} };
  if (content === undefined || isExact || isToolType(context, update.type ?? entry.type)) return whole;
  // If the body itself begins like frontmatter, an agent that sends it back means text.
  const block = readBlockUnless(content, body);
  if (block === null) return whole;
  const { type: given, tags, title, ...rest } = block.data;
  const type = typeNameOf(given) ?? undefined;
  // A type that is a link or a list is an ordinary property.
  const others: Properties = given === undefined || type !== undefined ? rest : { ...rest, type: given };
  if (title !== undefined && title !== (update.title ?? entry.title))
    throw collision('title', 'give it as the argument title, which renames the note');
  if (given !== undefined && update.type !== undefined && type !== update.type) throw collision('type', CONFLICTING);
  if (type !== undefined) checkNodeType(context, type);
  if (tags !== undefined && update.tags !== undefined && !isSame('tags', [...update.tags], tags)) throw collision('tags', CONFLICTING);
  const properties = update.properties ?? {};
  const values = Object.entries(others).filter(([key, value]) => {
    if (Object.hasOwn(properties, key) && !sameValue(properties[key], value)) throw collision(key, CONFLICTING);
    const now = entry.properties[key];
    // An agent that copies a whole file sends these too.
    if (STAMP_KEYS.includes(key) || sameValue(now, value)) return false;
    if (FIXED.has(key)) throw collision(key, now === undefined ? 'content cannot set it' : `the note has ${JSON.stringify(now)}`);
    return true;
  });
  return {
    update: {
      ...update,
      content: block.body,
      ...(type === undefined || type === entry.type ? {} : { type }),
      ...(tags === undefined ? {} : { tags: tagsOf(tags) }),
    },
    values: Object.fromEntries(values),
  };
}

function readBlockUnless(content: string, body: string): ContentBlock | null {
  const { block } = readFrontmatter(content);
  return block === null || body.startsWith(content.slice(0, block.end)) ? null : readBlock(content);
}

function isSame(key: string, a: PropertyValue, b: PropertyValue | undefined): boolean {
  if (key !== 'tags') return sameValue(a, b);
  const [left, right] = [tagsOf(a), tagsOf(b)].map((tags) => tags.map(foldKey).sort().join(' '));
  return left === right;
}
