import { parse } from 'yaml';
import { errorMessage, RouxError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';

/** A task in the form that `graph_plan` takes. */
export interface OutlineNode {
  readonly ref: string;
  readonly parent_ref?: string;
  readonly summary: string;
  readonly depends_on?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly context_links?: readonly string[];
}

/** A parsed outline of tasks. */
export interface PlanOutline {
  /** From the first-level heading or the key `project`. */
  readonly project: string | null;
  readonly goal: string | null;
  readonly nodes: readonly OutlineNode[];
}

/** Parses a plan from YAML (maps with a `summary`) or from a Markdown outline of headings and nested lists. */
export function readOutline(text: string): PlanOutline {
  const yaml = readYaml(text);
  const outline = yaml ?? readMarkdown(text);
  if (outline.nodes.length > 0) return { ...outline, nodes: resolveDependencies(outline.nodes) };
  throw new RouxError(
    'validation_error',
    'There is no task in the input. Write one on each line as "- summary", nested by indentation, or YAML with "summary" keys.',
  );
}

/**
 * Resolves dependencies within the outline: by name, then by summary ignoring case. What is not found may be an existing task. Throws
 * `validation_error` if two tasks of the outline match.
 */
function resolveDependencies(nodes: readonly OutlineNode[]): readonly OutlineNode[] {
  const refs = new Set(nodes.map(({ ref }) => ref));
  const bySummary = new Map<string, readonly OutlineNode[]>();
  for (const node of nodes) bySummary.set(node.summary.toLowerCase(), [...(bySummary.get(node.summary.toLowerCase()) ?? []), node]);
  const within = (wanted: string, node: OutlineNode): string => {
    if (refs.has(wanted)) return wanted;
    const named = (bySummary.get(wanted.toLowerCase()) ?? []).filter((other) => other !== node);
    if (named.length < 2) return named[0]?.ref ?? wanted;
    const message = `"${node.summary}" comes after "${wanted}", which the outline has ${named.length} times; give the one that is meant a name, as in "${wanted} ^first", and write (after ^first).`;
    throw new RouxError('validation_error', message);
  };
  return nodes.map((node) =>
    node.depends_on === undefined ? node : { ...node, depends_on: node.depends_on.map((wanted) => within(wanted, node)) },
  );
}

function readYaml(text: string): PlanOutline | null {
  // A top-level key "tasks" or "nodes" means that the input is meant as YAML, so that a syntax error is reported instead of reading it as
  // Markdown.
  const isMeant = /^(?:tasks|nodes):/m.test(text);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (!isMeant) return null;
    throw new RouxError('validation_error', `The outline is no YAML: ${errorMessage(error).split('\n')[0]}`, undefined, { cause: error });
  }
  const list: unknown = isRecord(value) ? (value['nodes'] ?? value['tasks']) : value;
  if (!Array.isArray(list)) return null;
  if (!isMeant && !list.every((one) => isRecord(one) && typeof one['summary'] === 'string')) return null;
  const nodes: OutlineNode[] = [];
  for (const one of list) addYaml(nodes, one, null);
  const textAt = (key: string): string | null => (isRecord(value) && typeof value[key] === 'string' ? value[key] : null);
  return { project: textAt('project'), goal: textAt('goal'), nodes };
}

const YAML_KEYS: readonly string[] = ['summary', 'ref', 'parent_ref', 'depends_on', 'after', 'context_links', 'properties', 'children'];

/** Adds a task and its children. A string stands for a task with only a summary. */
function addYaml(nodes: OutlineNode[], value: unknown, parent: string | null): void {
  if (typeof value === 'string') return addYaml(nodes, { summary: value }, parent);
  if (!isRecord(value) || typeof value['summary'] !== 'string') {
    throw new RouxError('validation_error', `Every task needs a summary, also this one: ${JSON.stringify(value)}`);
  }
  const unknown = Object.keys(value).find((key) => !YAML_KEYS.includes(key));
  if (unknown !== undefined) {
    throw new RouxError('validation_error', `"${value['summary']}" has a key "${unknown}"; a task has ${YAML_KEYS.join(', ')}.`);
  }
  const ref = typeof value['ref'] === 'string' ? value['ref'] : `#${nodes.length + 1}`;
  const parentRef = parent ?? (typeof value['parent_ref'] === 'string' ? value['parent_ref'] : null);
  const after = textsOf(value['depends_on'] ?? value['after']);
  const links = textsOf(value['context_links']);
  nodes.push({
    ref,
    ...(parentRef === null ? {} : { parent_ref: parentRef }),
    summary: value['summary'],
    ...(after.length === 0 ? {} : { depends_on: after }),
    ...(links.length === 0 ? {} : { context_links: links }),
    ...(isRecord(value['properties']) ? { properties: value['properties'] } : {}),
  });
  const children = value['children'];
  if (Array.isArray(children)) for (const child of children) addYaml(nodes, child, ref);
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

const HEADING = /^(#{1,6})\s+(?!\s)(.+?)(?<!\s)\s*(?:(?<!#)#+)?$/;
const ENTRY = /^(\s*)(?:[-*+]|\d+[.)])\s+(?!\s)(?:\[.\]\s+(?!\s))?(.+)$/;

/** Parses Markdown: headings from the second level on are tasks, with the tasks below them as children; list items nest by indentation. */
function readMarkdown(text: string): PlanOutline {
  const nodes: OutlineNode[] = [];
  const headings: { level: number; ref: string }[] = [];
  const entries: { indent: number; ref: string }[] = [];
  let project: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const heading = HEADING.exec(line);
    const level = heading?.[1]?.length ?? 0;
    if (level === 1) project ??= heading?.[2] ?? null;
    else if (heading?.[2] !== undefined) {
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop();
      entries.length = 0;
      headings.push({ level, ref: addEntry(nodes, heading[2], headings.at(-1)?.ref ?? null) });
    }
    const entry = heading === null ? ENTRY.exec(line) : null;
    if (entry?.[2] === undefined) continue;
    const indent = (entry[1] ?? '').replaceAll('\t', '    ').length;
    while ((entries.at(-1)?.indent ?? -1) >= indent) entries.pop();
    entries.push({ indent, ref: addEntry(nodes, entry[2], entries.at(-1)?.ref ?? headings.at(-1)?.ref ?? null) });
  }
  return { project, goal: null, nodes };
}

/** Adds a task such as `Paint the walls (after ^buy, ^sand) !2 ^paint`: summary, dependencies, priority and name. */
function addEntry(nodes: OutlineNode[], text: string, parent: string | null): string {
  const name = /\s\^([\p{L}\p{N}_-]+)$/u.exec(text);
  let rest = name === null ? text : text.slice(0, name.index);
  const priority = /\s!(-?\d+)$/.exec(rest);
  if (priority !== null) rest = rest.slice(0, priority.index);
  const after = /\s\(after:?\s+(?!\s)([^()]+)\)$/i.exec(rest);
  if (after !== null) rest = rest.slice(0, after.index);
  const ref = name?.[1] ?? `#${nodes.length + 1}`;
  nodes.push({
    ref,
    ...(parent === null ? {} : { parent_ref: parent }),
    summary: rest.trim(),
    ...(after?.[1] === undefined ? {} : { depends_on: after[1].split(',').map((one) => one.trim().replace(/^\^/, '')) }),
    ...(priority === null ? {} : { properties: { priority: Number(priority[1]) } }),
  });
  return ref;
}
