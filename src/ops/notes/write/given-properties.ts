import { RouxError } from '../../../errors.ts';
import { projectOf } from '../../../graph/tasks/task-note.ts';
import type { NoteChange } from '../../../note/change.ts';
import { isPropertyList, isPropertyMap, splitTags } from '../../../note/frontmatter/property-value.ts';
import { hasTaskKeys, isReservedTaskKey } from '../../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { isOntologyType, isTypeOfTools } from '../../known-types.ts';
import { isInMap, listProperties, propertyKey } from '../../node-properties.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { listOrNothing, tagsOf } from './shapes.ts';
import type { GivenProperties, GivenValue } from './shapes.ts';

/** The note that properties are for: as it is, or as it is to be made. */
interface Holder {
  readonly path: string;
  readonly type: string | null;
  readonly properties: Properties;
}

/** What is an argument of its own, and so is not set among the properties of people's notes. */
const ARGUMENTS: ReadonlySet<string> = new Set(['type', 'title', 'format', 'encoding']);
/** What roux itself keeps on top of a note. */
const KEPT: ReadonlySet<string> = new Set(['id', 'rev', 'properties', 'created_at', 'updated_at', 'created_by']);
/** So much of a value is shown in a message. */
const MOST_SHOWN = 500;

/**
 * Tags and other properties apart: `tags` among the properties mean what the argument of that name means, `aliases` become a list.
 * Throws `INVALID_PARAMS` where tags are given twice.
 */
export function takeTags<
  Given extends { readonly tags?: readonly string[] | undefined; readonly properties?: GivenProperties | undefined },
>(given: Given, now: Properties = {}): Given {
  const { properties } = given;
  if (properties === undefined) return given;
  const { tags, ...rest } = properties;
  const { aliases } = rest;
  const own =
    aliases === undefined || aliases === null || isInMap(now, 'aliases')
      ? rest
      : // A list without an item is none.
        { ...rest, aliases: listOrNothing(textsOf('aliases', aliases, now['aliases'])) ?? null };
  if (tags === undefined) return { ...given, properties: own };
  if (isInMap(now, 'tags')) return { ...given, properties: { ...own, tags } };
  if (given.tags !== undefined) {
    throw new RouxError('INVALID_PARAMS', 'properties.tags: tags are given as an argument too; give them once.', {
      field: 'properties.tags',
    });
  }
  return { ...given, tags: tags === null ? [] : tagsOf(textsOf('tags', listed(tags), listed(now['tags']))), properties: own };
}

/** Several tags in one text are a list too. */
function listed<Value>(tags: Value): Value | readonly string[] {
  return typeof tags === 'string' && /[\s,]/.test(tags.trim()) ? splitTags(tags) : tags;
}

/** The texts of a list that a note holds at its top level. */
function textsOf(name: string, value: GivenValue, now: PropertyValue | undefined): readonly string[] {
  mustKeepList(name, value, now);
  const texts = typeof value === 'object' ? value : [value];
  const other = texts.find((text) => typeof text !== 'string');
  if (other === undefined) return texts.map(String);
  throw new RouxError('INVALID_PARAMS', `properties.${name}: ${JSON.stringify(other)} is no text; ${name} is a list of texts.`, {
    field: `properties.${name}`,
  });
}

/** The changes that set these properties where they stand or belong, and remove those that are null. */
export function planProperties(context: OperationContext, holder: Holder, given: GivenProperties): readonly NoteChange[] {
  return Object.entries(given).flatMap(([name, value]): readonly NoteChange[] => {
    const key = placeOf(context, holder, name);
    // The map stands over the top level in answers: what it holds of this name would hide what is written.
    const isHidden = key.length === 1 && isInMap(holder.properties, name);
    const rest: readonly NoteChange[] = isHidden ? [{ op: 'unset', key: ['properties', name] }] : [];
    if (value === null)
      return [{ op: 'unset', key }, ...rest, ...(isOnTop(holder, name, key) ? [{ op: 'unset' as const, key: [name] }] : [])];
    const map = holder.properties['properties'];
    const now = key.length === 1 ? holder.properties[name] : isPropertyMap(map) ? map[name] : undefined;
    mustKeepList(name, value, now);
    mustFitType(context, holder, { name, value, now });
    return [{ op: 'set', key, value }, ...rest];
  });
}

/** Whether a property of the map stands at the top level too, where it would show once the map has it no more. */
function isOnTop({ properties }: Holder, name: string, key: readonly string[]): boolean {
  return key.length > 1 && Object.hasOwn(listProperties({ ...properties, properties: {} }), name);
}

/** Properties of a new note: those at its top level, and those of its `properties` map. */
export function divideProperties(
  context: OperationContext,
  { path, type, properties }: { readonly path: string; readonly type: string | null; readonly properties: GivenProperties },
): { readonly own: Properties; readonly map: Properties } {
  const holder: Holder = { path, type, properties: type === null ? {} : { type } };
  const sets = planProperties(context, holder, properties).flatMap((change) => (change.op === 'set' ? [change] : []));
  const under = (depth: number): Properties =>
    Object.fromEntries(sets.filter(({ key }) => key.length === depth).map(({ key, value }) => [key.at(-1) ?? '', value]));
  return { own: under(1), map: under(2) };
}

/** Whether this is a task or the root of a project. */
export function isTaskNote(
  { config }: Pick<OperationContext, 'config'>,
  { path, properties }: Pick<Holder, 'path' | 'properties'>,
): boolean {
  return hasTaskKeys(properties) && projectOf(path, config.tasks.root) !== null;
}

/** Refuses what only the task tools change, because the graph of tasks hangs on it. */
export function refuseTaskFields(fields: readonly string[]): void {
  const field = fields.find(
    (name) => isReservedTaskKey(name.replace(/^properties\./, '')) || /^properties\._claimed_(?:by|at)$/.test(name),
  );
  if (field === undefined) return;
  const tool = field === 'type' || field.endsWith('.parent') ? 'graph_update or graph_restructure' : 'graph_update';
  throw new RouxError('INVALID_PARAMS', `${field}: this note is a task, whose own fields ${tool} changes.`, { field });
}

function placeOf(context: OperationContext, holder: Holder, name: string): readonly string[] {
  const { path, type, properties } = holder;
  const isTask = isTaskNote(context, holder);
  const key = propertyKey(properties, name, { ofTools: isTask || isTypeOfTools(context, type) });
  if (name === 'aliases' && !isInMap(properties, name)) return [name];
  if (key.length > 1 || (!ARGUMENTS.has(name) && !KEPT.has(name))) return key;
  const remedy = ARGUMENTS.has(name) ? `give it as the argument ${name}` : 'roux keeps it itself; choose another name';
  throw new RouxError('INVALID_PARAMS', `properties.${name}: it is no property of ${path}, ${remedy}.`, { field: `properties.${name}` });
}

/** A single value given for a list would drop what the list holds; so would one for a map. */
function mustKeepList(name: string, value: GivenValue, now: PropertyValue | undefined): void {
  const isLost =
    isPropertyMap(now) ||
    (isPropertyList(now) && (typeof value !== 'object' || now.some((each) => typeof each === 'object' && each !== null)));
  if (!isLost) return;
  const kind = isPropertyMap(now) ? 'a map' : typeof value === 'object' ? 'a list with maps or lists in it' : 'a list';
  const remedy = kind === 'a list' ? 'Send the whole list' : 'Edit it by hand';
  throw new RouxError(
    'INVALID_PARAMS',
    `properties.${name}: the note holds ${kind} there: ${shorten(JSON.stringify(now), MOST_SHOWN)}. ${remedy}, or null first to remove it.`,
    { field: `properties.${name}` },
  );
}

/** Nodes of the ontology hold scalars (S0-12); a list that a person wrote there can be changed. */
function mustFitType(
  context: OperationContext,
  { type }: Holder,
  { name, value, now }: { readonly name: string; readonly value: GivenValue; readonly now: PropertyValue | undefined },
): void {
  if (typeof value !== 'object' || name === 'aliases' || isPropertyList(now) || type === null || !isOntologyType(context, type)) return;
  throw new RouxError('INVALID_PARAMS', `properties.${name}: a node of type ${type} holds text, numbers and booleans, no lists.`, {
    field: `properties.${name}`,
  });
}
