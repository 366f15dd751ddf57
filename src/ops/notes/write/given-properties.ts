import { RouxError } from '../../../errors.ts';
import type { NoteChange } from '../../../note/change.ts';
import { isPropertyList, isPropertyMap, nameOf, sameValue, splitTags, typeNameOf } from '../../../note/frontmatter/property-value.ts';
import { isReservedTaskKey } from '../../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { isOntologyType, isToolType } from '../../vault-ontology.ts';
import { isInMap, isTaskNote, listProperties, resolvePropertyKey } from '../../node-properties.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { listOrNothing, tagsOf } from './shapes.ts';
import type { GivenProperties, GivenValue, UncheckedProperties } from './shapes.ts';

/** The note that has the properties: an existing or a new one. */
interface PropertyOwner {
  readonly path: string;
  readonly type: string | null;
  readonly properties: Properties;
}

/** Properties that have an argument of their own and cannot be set as properties. */
const ARGUMENT_KEYS: ReadonlySet<string> = new Set(['type', 'title', 'format', 'encoding']);
/** Frontmatter keys that roux manages itself. */
export const MANAGED_KEYS: ReadonlySet<string> = new Set(['id', 'rev', 'properties', 'created_at', 'updated_at', 'created_by']);
/** Maximum characters of a value in a message. */
const MAX_SHOWN_CHARACTERS = 500;

/**
 * Separates tags from other properties: `tags` among the properties mean the argument `tags`, `aliases` become a list. Throws
 * `INVALID_PARAMS` if tags are given twice.
 */
export function separateTags<
  Given extends { readonly tags?: readonly string[] | undefined; readonly properties?: GivenProperties | undefined },
>(given: Given, now: Properties = {}): Given {
  const { properties } = given;
  if (properties === undefined) return given;
  const { tags, ...rest } = properties;
  const { aliases } = rest;
  const own =
    aliases === undefined || aliases === null || isInMap(now, 'aliases')
      ? rest
      : // An empty list removes the property.
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

/** Splits several tags in one text. */
function listed<Value>(tags: Value): Value | readonly string[] {
  return typeof tags === 'string' && /[\s,]/.test(tags.trim()) ? splitTags(tags) : tags;
}

/** Returns the items of a top-level list property as texts. */
function textsOf(name: string, value: GivenValue, now: PropertyValue | undefined): readonly string[] {
  refuseListLoss(name, value, now);
  const texts = typeof value === 'object' ? value : [value];
  const other = texts.find((text) => typeof text !== 'string');
  if (other === undefined) return texts.map(String);
  throw new RouxError('INVALID_PARAMS', `properties.${name}: ${JSON.stringify(other)} is no text; ${name} is a list of texts.`, {
    field: `properties.${name}`,
  });
}

/** Plans the changes that set properties, at their present place or where new ones belong, and remove those that are null. */
export function planProperties(context: OperationContext, owner: PropertyOwner, given: GivenProperties): readonly NoteChange[] {
  const isTask = isTaskNote(context, owner);
  return Object.entries(given).flatMap(([name, value]): readonly NoteChange[] => {
    const key = resolveWritableKey(context, owner, { name, value, argument: 'properties' });
    // In answers the `properties` map hides top-level keys, so an entry of the map would hide the new value.
    const isHidden = key.length === 1 && isInMap(owner.properties, name);
    const rest: readonly NoteChange[] = isHidden ? [{ op: 'unset', key: ['properties', name] }] : [];
    if (value === null)
      return [
        { op: 'unset', key },
        ...rest,
        ...(isShadowedAtTop(owner, name, { key, isTask }) ? [{ op: 'unset' as const, key: [name] }] : []),
      ];
    const map = owner.properties['properties'];
    const now = key.length === 1 ? owner.properties[name] : isPropertyMap(map) ? map[name] : undefined;
    refuseListLoss(name, value, now);
    checkOntologyValue(context, owner, { name, value, now });
    return [{ op: 'set', key, value }, ...rest];
  });
}

/** Returns whether a property of the map is at the top level too, where it would show after its removal from the map. */
function isShadowedAtTop(
  { properties }: PropertyOwner,
  name: string,
  { key, isTask }: { readonly key: readonly string[]; readonly isTask: boolean },
): boolean {
  return key.length > 1 && Object.hasOwn(listProperties({ ...properties, properties: {} }, isTask), name);
}

/** Divides the properties of a new note into top-level ones and those of its `properties` map. */
export function divideProperties(
  context: OperationContext,
  { path, type, properties }: { readonly path: string; readonly type: string | null; readonly properties: GivenProperties },
): { readonly own: Properties; readonly map: Properties } {
  const owner: PropertyOwner = { path, type, properties: type === null ? {} : { type } };
  const sets = planProperties(context, owner, properties).flatMap((change) => (change.op === 'set' ? [change] : []));
  const under = (depth: number): Properties =>
    Object.fromEntries(sets.filter(({ key }) => key.length === depth).map(({ key, value }) => [key.at(-1) ?? '', value]));
  return { own: under(1), map: under(2) };
}

/** Refuses fields that only the task tools may change, because the task graph depends on them. */
export function refuseTaskFields(fields: readonly string[]): void {
  const field = fields.find(
    (name) => isReservedTaskKey(name.replace(/^(?:properties|add|remove)\./, '')) || /^(?:\w+\.)?_claimed_(?:by|at|session)$/.test(name),
  );
  if (field === undefined) return;
  const tool = field === 'type' || field.endsWith('.parent') ? 'graph_update or graph_restructure' : 'graph_update';
  throw new RouxError('INVALID_PARAMS', `${field}: this note is a task, whose own fields ${tool} changes.`, { field });
}

/** Returns the properties of a call with its `aliases` among them. Throws `INVALID_PARAMS` where they are given twice. */
export function withAliases<Value>({
  aliases,
  properties,
}: {
  readonly aliases?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Value>> | undefined;
}): Readonly<Record<string, Value | readonly string[]>> | undefined {
  if (aliases === undefined) return properties;
  if (properties?.['aliases'] === undefined) return { ...properties, aliases };
  throw new RouxError('INVALID_PARAMS', 'properties.aliases: aliases are given as an argument too; give them once.', {
    field: 'properties.aliases',
  });
}

/** Arguments of the task tools that an agent may send to the tools for notes by mistake. */
const TASK_ARGUMENTS: ReadonlySet<string> = new Set(
  `resolved resolved_reason state summary parent parent_ref depends_on blocked blocked_reason claim _claimed_by _claimed_at _claimed_session
  evidence add_evidence context_links add_context_links remove_context_links`.split(/\s+/),
);

/** Refuses arguments of the task tools, which would otherwise be ignored. */
export function refuseTaskArguments(
  context: Pick<OperationContext, 'config' | 'unknownFields'>,
  entry: Pick<PropertyOwner, 'path' | 'properties'> | null,
): void {
  const field = context.unknownFields?.find((name) => TASK_ARGUMENTS.has(name));
  if (field === undefined) return;
  const message =
    entry !== null && isTaskNote(context, entry)
      ? `${field}: this note is a task, whose own fields graph_update changes.`
      : `${field}: it is an argument of the task tools (graph_update, graph_plan); a property of a note goes into properties: {${JSON.stringify(field)}: …}.`;
  throw new RouxError('INVALID_PARAMS', message, { field });
}

/** A property to set; the value is an empty list if items are added to or removed from it. */
interface PropertyChange {
  readonly name: string;
  readonly value: GivenValue | null;
  readonly argument: 'properties' | 'add' | 'remove';
}

/**
 * Returns the key path of a property, existing or new. Throws `INVALID_PARAMS` for properties with an argument of their own or managed by
 * roux.
 */
export function resolveWritableKey(
  context: OperationContext,
  owner: PropertyOwner,
  { name, value, argument }: PropertyChange,
): readonly string[] {
  const { path, type, properties } = owner;
  const isTask = isTaskNote(context, owner);
  const key = resolvePropertyKey(properties, name, { isToolNode: isTask || isToolType(context, type), isTask });
  if ((name === 'aliases' || (name === 'tags' && argument !== 'properties')) && !isInMap(properties, name)) return [name];
  if (key.length > 1 || (!ARGUMENT_KEYS.has(name) && !MANAGED_KEYS.has(name))) return key;
  const isShown = Object.hasOwn(listProperties(properties, isTask), name);
  // A value that is shown as an ordinary property was written by hand and can be removed.
  if (isShown && value === null) return key;
  // A type that is a link or a list is an ordinary property.
  const isOrdinaryType = typeof value === 'object' || typeNameOf(value) === null;
  if (name === 'type' && isOrdinaryType && (isShown || !Object.hasOwn(properties, name))) return key;
  const field = `${argument}.${name}`;
  const remedy = ARGUMENT_KEYS.has(name) ? `give it as the argument ${name}` : 'roux keeps it itself; choose another name';
  throw new RouxError('INVALID_PARAMS', `${field}: it is no property of ${path}, ${remedy}.`, { field });
}

/** Properties without those that have the given value already. */
export interface ChangedProperties {
  readonly properties: GivenProperties;
  readonly warnings: readonly string[];
}

/**
 * Leaves out values that the note already has, so that an agent can send back what it was shown. Throws `INVALID_PARAMS` for other
 * values that tools do not write (E-28).
 */
export function withoutUnchanged(
  given: UncheckedProperties,
  { path, properties: data }: PropertyOwner,
  { isTask }: { readonly isTask: boolean },
): ChangedProperties {
  const now = toJsonValues(listProperties(data, isTask));
  const changed = Object.entries(given).filter(([name, value]) => {
    const isSame = Object.hasOwn(now, name) && sameValue(now[name], value as PropertyValue);
    return !isSame && !isSameList(name, value, data);
  });
  const empty = Object.keys(given).filter((name) => given[name] === null && Object.hasOwn(now, name) && now[name] === null);
  return {
    properties: Object.fromEntries(changed.map(([name, value]) => [name, checkValue(name, value)])),
    warnings:
      empty.length === 0
        ? []
        : [`${empty.join(', ')} of ${path}: empty already, and left; remove {${JSON.stringify(empty[0])}: null} takes the key away.`],
  };
}

/** Converts values to what JSON can show: it has neither infinity nor NaN. */
function toJsonValues(data: Properties): Properties {
  return JSON.parse(JSON.stringify(data)) as Properties;
}

/** Returns whether `aliases` or `tags` equal those of the note, in any notation. */
function isSameList(name: string, value: unknown, data: Properties): boolean {
  if ((name !== 'aliases' && name !== 'tags') || isInMap(data, name) || !Object.hasOwn(data, name) || !Array.isArray(value)) return false;
  const now = data[name];
  const texts = name === 'tags' ? tagsOf(now) : (isPropertyList(now) ? now : [now]).flatMap((each) => nameOf(each) ?? []);
  return sameValue(texts, value as PropertyValue);
}

/** Maximum characters of a new property name. */
const MAX_NAME_CHARACTERS = 200;

function checkValue(name: string, value: unknown): GivenValue | null {
  const field = `properties.${name}`;
  const isScalar = (each: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof each);
  if (name === '' || name.length > MAX_NAME_CHARACTERS)
    throw new RouxError('INVALID_PARAMS', `properties: a name has 1 to ${MAX_NAME_CHARACTERS} characters.`, { field: 'properties' });
  if (value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar))) return value as GivenValue | null;
  throw new RouxError(
    'INVALID_PARAMS',
    `update_node: ${field} must be a string, a number, a boolean, a list of these, or null to remove it.`,
    { field },
  );
}

/** Refuses a scalar in place of a list or map, whose items would be lost. */
function refuseListLoss(name: string, value: GivenValue, now: PropertyValue | undefined): void {
  const isLost =
    isPropertyMap(now) ||
    (isPropertyList(now) && (typeof value !== 'object' || now.some((each) => typeof each === 'object' && each !== null)));
  if (!isLost) return;
  const kind = isPropertyMap(now) ? 'a map' : typeof value === 'object' ? 'a list with maps or lists in it' : 'a list';
  const remedy = kind === 'a list' ? 'Send the whole list' : 'Edit it by hand';
  throw new RouxError(
    'INVALID_PARAMS',
    `properties.${name}: the note holds ${kind} there: ${shorten(JSON.stringify(now), MAX_SHOWN_CHARACTERS)}. ${remedy}, or null first to remove it.`,
    { field: `properties.${name}` },
  );
}

/** Nodes of the ontology have scalar properties (S0-12); a list that a person wrote can still be changed. */
function checkOntologyValue(
  context: OperationContext,
  { type }: PropertyOwner,
  { name, value, now }: { readonly name: string; readonly value: GivenValue; readonly now: PropertyValue | undefined },
): void {
  if (typeof value !== 'object' || name === 'aliases' || isPropertyList(now) || type === null || !isOntologyType(context, type)) return;
  throw new RouxError('INVALID_PARAMS', `properties.${name}: a node of type ${type} holds text, numbers and booleans, no lists.`, {
    field: `properties.${name}`,
  });
}
