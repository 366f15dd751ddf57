import * as z from 'zod';
import { isRecord } from '../is-record.ts';
import { checkJson, invalid, joinField, tooLarge } from './json-bounds.ts';
import { describeUtc, readUtc } from './times/utc.ts';
import { isBlankText, normalizeName, oneLine, wholeCharacters } from './names.ts';

/** An entity that an episode mentions. */
export interface ExtractedNode {
  /** The id by which edges of the same extraction refer to it. */
  readonly tmp_ref?: string;
  /** The UUID of an existing entity of the group, or of the one to create. */
  readonly uuid?: string;
  /** On one line. */
  readonly name: string;
  readonly summary?: string;
  readonly attributes?: JsonMap;
}

/** A fact that an episode states. */
export interface ExtractedEdge {
  /** The relation, on one line. */
  readonly name: string;
  /** On one line. */
  readonly fact: string;
  /** The `tmp_ref` or `uuid` of a node, or one of `unknownRefs`. */
  readonly source_ref: string;
  readonly target_ref: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly valid_at?: string;
  readonly invalid_at?: string;
  readonly qualifiers?: JsonMap;
  /** Whether the episode says that this is false, or no longer true from `valid_at` on. */
  readonly negated: boolean;
  /** Whether an entity has one value of this relation at a time, from now on in the whole group. */
  readonly single?: true;
  /** Uuid of the fact of the same entity and relation that this one takes the place of. */
  readonly corrects?: string;
}

/** A valid extraction (S3-28). */
export interface Extraction {
  readonly nodes: readonly ExtractedNode[];
  readonly edges: readonly ExtractedEdge[];
  /** UUIDs that edges refer to and no node has. The caller checks that they are entities of the group, else refuses the extraction. */
  readonly unknownRefs: readonly string[];
}

export type JsonMap = { readonly [key: string]: unknown };

/** Limits of an extraction, in UTF-16 units for texts. One over a limit is refused, never truncated. */
export interface ExtractionLimits {
  readonly name: number;
  readonly summary: number;
  readonly fact: number;
  /** The size of attributes, and of qualifiers, as JSON in UTF-8. */
  readonly attributesBytes: number;
  readonly nodes: number;
  readonly edges: number;
}

/** The limits of S3-49. */
export const EXTRACTION_LIMITS: ExtractionLimits = {
  name: 256,
  summary: 4000,
  fact: 2000,
  attributesBytes: 16_384,
  nodes: 5000,
  edges: 5000,
};

/** Bounds of a whole extraction: what a body of the maximum size can become. */
export const EXTRACTION_BOUNDS = { depth: 24, size: 8 * 1024 * 1024 } as const;

const text = z.string();
const map = z.record(z.string(), z.unknown());
/** `null` means the same as omission, because the structured output of some endpoints cannot omit fields. */
const extractionSchema = z.strictObject({
  nodes: z.array(
    z.strictObject({ tmp_ref: text.nullish(), uuid: text.nullish(), name: text, summary: text.nullish(), attributes: map.nullish() }),
  ),
  edges: z.array(
    z.strictObject({
      name: text,
      fact: text,
      source_ref: text,
      target_ref: text,
      valid_at: text.nullish(),
      invalid_at: text.nullish(),
      qualifiers: map.nullish(),
      negated: z.boolean().nullish(),
      single: z.boolean().nullish(),
      corrects: text.nullish(),
    }),
  ),
});

type GivenNode = z.output<typeof extractionSchema>['nodes'][number];
type GivenEdge = z.output<typeof extractionSchema>['edges'][number];

const EDGE_FIELDS = '"name", "fact", "source_ref", "target_ref", "valid_at", "invalid_at", "qualifiers", "negated", "single", "corrects"';

/**
 * Validates the extraction of an extractor or a caller strictly (S3-02, S3-28, S3-49). Returns names and facts on one line and dates with
 * milliseconds. Throws a RouxError that names the field: `INVALID_ARGUMENT`, or `TOO_LARGE` over a limit.
 */
export function readExtraction(value: unknown, limits: ExtractionLimits = EXTRACTION_LIMITS): Extraction {
  checkJson(value, EXTRACTION_BOUNDS);
  const result = extractionSchema.safeParse(value);
  if (!result.success) throw describe(result.error.issues[0]);
  const { nodes: givenNodes, edges: givenEdges } = result.data;
  if (givenNodes.length > limits.nodes) throw tooLarge('nodes', `are more than ${limits.nodes}`, limits.nodes);
  if (givenEdges.length > limits.edges) throw tooLarge('edges', `are more than ${limits.edges}`, limits.edges);
  const nodes = givenNodes.map((node, index) => readNode(node, `nodes[${index}]`, limits));
  const known = refsOf(nodes);
  const unknown = new Set<string>();
  const edges = givenEdges.map((edge, index) => readEdge(edge, `edges[${index}]`, { limits, known, unknown }));
  return { nodes, edges, unknownRefs: [...unknown] };
}

function readNode(node: GivenNode, field: string, limits: ExtractionLimits): ExtractedNode {
  const { tmp_ref, uuid, summary, attributes } = node;
  const name = readLine(node.name, `${field}.name`, limits.name);
  return {
    ...(tmp_ref == null ? {} : { tmp_ref: readRef(tmp_ref, `${field}.tmp_ref`, limits) }),
    ...(uuid == null ? {} : { uuid: readRef(uuid, `${field}.uuid`, limits) }),
    name,
    ...(summary == null ? {} : { summary: readText(summary, `${field}.summary`, limits.summary) }),
    ...(attributes == null ? {} : { attributes: readMap(attributes, `${field}.attributes`, limits) }),
  };
}

interface Refs {
  readonly limits: ExtractionLimits;
  readonly known: ReadonlySet<string>;
  /** Collects the UUIDs that no node has. */
  readonly unknown: Set<string>;
}

function readEdge(edge: GivenEdge, field: string, refs: Refs): ExtractedEdge {
  const { limits } = refs;
  const { valid_at, invalid_at, qualifiers, corrects } = edge;
  const from = valid_at == null ? null : readDate(valid_at, `${field}.valid_at`);
  const until = invalid_at == null ? null : readDate(invalid_at, `${field}.invalid_at`);
  // In the same format, dates compare as texts.
  if (from !== null && until !== null && until < from) throw invalid(`${field}.invalid_at`, `is before "valid_at" (${until} < ${from})`);
  return {
    name: readLine(edge.name, `${field}.name`, limits.name),
    fact: readLine(edge.fact, `${field}.fact`, limits.fact),
    source_ref: resolveRef(edge.source_ref, `${field}.source_ref`, refs),
    target_ref: resolveRef(edge.target_ref, `${field}.target_ref`, refs),
    ...(from === null ? {} : { valid_at: from }),
    ...(until === null ? {} : { invalid_at: until }),
    ...(qualifiers == null ? {} : { qualifiers: readMap(qualifiers, `${field}.qualifiers`, limits) }),
    negated: edge.negated ?? false,
    ...(edge.single === true ? { single: true as const } : {}),
    ...(corrects == null ? {} : { corrects: readRef(corrects, `${field}.corrects`, limits) }),
  };
}

/** Returns every id by which edges can refer to a node. Throws for nodes that share one, or a name. */
function refsOf(nodes: readonly ExtractedNode[]): ReadonlySet<string> {
  const refs = new Map<string, number>();
  const uuids = new Map<string, string>();
  for (const [index, node] of nodes.entries()) {
    for (const key of ['tmp_ref', 'uuid'] as const) {
      const ref = node[key];
      if (ref === undefined) continue;
      const other = refs.get(ref);
      if (other !== undefined && other !== index)
        throw invalid(`nodes[${index}].${key}`, `is that of nodes[${other}] too; each node needs its own`);
      refs.set(ref, index);
    }
    if (node.uuid === undefined) continue;
    const name = normalizeName(node.name);
    if (uuids.has(name)) throw invalid(`nodes[${index}].uuid`, 'is another one than that of the node with the same name before it');
    uuids.set(name, node.uuid);
  }
  return new Set(refs.keys());
}

/** Ids of entities outside of this extraction: RFC 9562 UUIDs, or those that roux generates. */
const UUID = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:e_)?[0-7][0-9a-hjkmnp-tv-z]{25})$/i;

function resolveRef(ref: string, field: string, { limits, known, unknown }: Refs): string {
  const read = readRef(ref, field, limits);
  if (known.has(read)) return read;
  if (!UUID.test(read)) throw invalid(field, 'is the "tmp_ref" or "uuid" of none of its nodes; add the node that it means');
  unknown.add(read);
  return read;
}

function readRef(ref: string, field: string, limits: ExtractionLimits): string {
  if (ref.length > limits.name) throw tooLarge(field, `is longer than ${limits.name} characters`, limits.name);
  if (isBlankText(ref) || oneLine(ref) !== ref) throw invalid(field, 'has to be on one line, and neither blank nor with space around it');
  return ref;
}

function readLine(given: string, field: string, limit: number): string {
  const line = oneLine(readText(given, field, limit));
  if (isBlankText(line)) throw invalid(field, 'is blank; it needs a text that can be read');
  return line;
}

function readText(given: string, field: string, limit: number): string {
  if (given.length > limit) throw tooLarge(field, `is longer than ${limit} characters (${given.length})`, limit);
  return wholeCharacters(given);
}

function readDate(given: string, field: string): string {
  const date = readUtc(given);
  if (date === null) throw invalid(field, describeUtc(given));
  return date;
}

function readMap(given: Readonly<Record<string, unknown>>, field: string, { attributesBytes }: ExtractionLimits): JsonMap {
  const json = JSON.stringify(given);
  const bytes = Buffer.byteLength(json);
  if (bytes > attributesBytes) throw tooLarge(field, `is more than ${attributesBytes} bytes of JSON (${bytes})`, attributesBytes);
  return JSON.parse(json, (_, part: unknown) => {
    if (typeof part === 'string') return wholeCharacters(part);
    return isRecord(part) ? Object.fromEntries(Object.entries(part).map(([key, value]) => [wholeCharacters(key), value])) : part;
  }) as JsonMap;
}

function describe(issue: z.core.$ZodIssue | undefined): Error {
  const path = (issue?.path ?? []).reduce<string>(
    (field, key) => (typeof key === 'number' ? `${field}[${key}]` : joinField(field, String(key))),
    '',
  );
  if (issue?.code !== 'unrecognized_keys') return invalid(path, `is not valid: ${issue?.message ?? 'unreadable'}`);
  const where = path.startsWith('nodes') ? '"tmp_ref", "uuid", "name", "summary", "attributes"' : EDGE_FIELDS;
  return invalid(joinField(path, issue.keys[0] ?? ''), `is not known there; there are ${path === '' ? '"nodes" and "edges"' : where}`);
}
