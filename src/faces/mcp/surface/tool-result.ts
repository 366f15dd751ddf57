import { isRecord } from '../../../is-record.ts';
import type { Operation } from '../../../ops/operation.ts';
import type { Answer } from '../../../ops/session.ts';
import { fitInto, shorten, takeWhileFits, TRUNCATED_SUFFIX, withFit } from '../../../ops/shorten.ts';
import { boundWarnings, toErrorTexts } from '../../envelope.ts';
import type { Envelope } from '../../knowledge-envelope.ts';

/** The longest result; clients truncate or divert longer ones. */
const MAX_RESULT_CHARACTERS = 40_000;
/** Leaves room for the warning about what was omitted. */
const MAX_TEXT_CHARACTERS = MAX_RESULT_CHARACTERS - 1_000;

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/**
 * The advice for a truncated answer. After a write, only the answer is truncated; a client that did not know that would repeat the write.
 */
const READ_LESS = 'ask for less at a time';
const WRITTEN = 'all of it was carried out';

/** Whether answers also come as `structuredContent`, as the setting `structured` says. Those of the memory tools always do. */
interface ResultForm {
  readonly isStructured: boolean;
}

/** Converts an answer to text blocks: compact JSON, then the parts beside it and the warnings about the call. */
export function toToolResult(
  operation: Operation,
  { output, warnings, parts, isDryRun = false }: Answer,
  { isStructured }: ResultForm,
): ToolResult {
  // The memory tools answer with plain text, as their clients expect.
  const { text, value, omissions } =
    typeof output === 'string'
      ? { text: output, value: output, omissions: [] }
      : fitResult(output ?? null, operation.effect === 'read' ? READ_LESS : WRITTEN);
  const notes = boundWarnings([...warnings, ...omissions]);
  const besides = { ...parts, ...(notes.length === 0 ? {} : { _warnings: notes }) };
  const fixed = operation.structured === undefined || (isDryRun && isRecord(value)) ? null : operation.structured(value);
  const hasStructure = isStructured || operation.structured !== undefined;
  return {
    content: [text, ...(parts === undefined && notes.length === 0 ? [] : [JSON.stringify(besides)])].map((block) => ({
      type: 'text',
      text: block,
    })),
    ...(hasStructure ? { structuredContent: { ...(fixed ?? toStructured(value)), ...(isStructured ? addTo(value, besides) : {}) } } : {}),
  };
}

/** Converts an answer to an object. One rule for whatever is none, `null` included: it is the `result` of one. */
function toStructured(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : { result: value };
}

/** Returns what the second text block says, for clients that read the structured answer alone; warnings follow those of the answer itself. */
function addTo(value: unknown, { _warnings: notes, ...parts }: { readonly _warnings?: readonly string[] }): Record<string, unknown> {
  const own: unknown = isRecord(value) ? value['_warnings'] : undefined;
  return { ...parts, ...(notes === undefined ? {} : { _warnings: [...(Array.isArray(own) ? (own as unknown[]) : []), ...notes] }) };
}

/** Converts an answer in the knowledge graph's envelope; an error is also marked as one for the client (S3-01). */
export function toEnvelopeResult(
  operation: Operation,
  { envelope, warnings }: { readonly envelope: Envelope; readonly warnings: readonly string[] },
  form: ResultForm,
): ToolResult {
  const fitted = withFit(envelope, (characters) => {
    const around = JSON.stringify({ ...envelope, output: null }).length;
    return { ...envelope, output: fitInto(envelope.output, characters - around) };
  });
  const isError = envelope.status === 'ERROR';
  // As with all other tools, an error is text alone.
  const result = toToolResult(operation, { output: fitted, warnings }, isError ? { isStructured: false } : form);
  return isError ? { ...result, isError } : result;
}

/** Converts an error to the form that clients of the operation's toolset expect. */
export function toToolError(operation: Pick<Operation, 'toolset'>, error: unknown): ToolResult {
  return { isError: true, content: toErrorTexts(error, operation.toolset).map((text) => ({ type: 'text', text })) };
}

interface FittedResult {
  readonly text: string;
  /** The result that `text` contains. */
  readonly value: unknown;
  /** What was omitted; empty for nearly all results. */
  readonly omissions: readonly string[];
}

/**
 * Serializes a result to JSON of limited length. A result that is too long is shortened by its own rule if it has one, which says how to
 * get the rest; if that does not suffice, its longest lists and texts are truncated.
 */
function fitResult(value: unknown, remedy: string): FittedResult {
  let current = value;
  const omissions: string[] = [];
  let text = JSON.stringify(current);
  if (text.length > MAX_TEXT_CHARACTERS) {
    current = fitInto(value, MAX_TEXT_CHARACTERS);
    text = JSON.stringify(current);
  }
  for (let round = 0; text.length > MAX_TEXT_CHARACTERS && round < 20; round += 1) {
    const longest = findLongest(current, []);
    if (longest === null) break;
    const size = JSON.stringify(longest.value).length;
    const budget = Math.max(200, Math.floor((size - (text.length - MAX_TEXT_CHARACTERS)) * 0.95));
    const shorter = typeof longest.value === 'string' ? cutText(longest.value, budget) : takeWhileFits(longest.value, budget);
    if (shorter.length >= longest.value.length) break;
    const place = longest.path.length === 0 ? 'the list' : longest.path.join('.');
    omissions.push(`${place} was cut from ${longest.value.length} to ${shorter.length} to keep the answer short; ${remedy}.`);
    current = replace(current, longest.path, shorter);
    text = JSON.stringify(current);
  }
  return { text, value: current, omissions };
}

type Place = { readonly path: readonly string[]; readonly value: string | readonly unknown[] };

/** Returns the list or text that takes the most characters. A list is preferred to its elements, so that whole elements are dropped. */
function findLongest(value: unknown, path: readonly string[]): Place | null {
  if (typeof value === 'string') return { path, value };
  if (Array.isArray(value)) return value.length > 1 ? { path, value } : findLongest(value[0], [...path, '0']);
  if (!isRecord(value)) return null;
  const places = Object.entries(value).flatMap(([key, each]) => findLongest(each, [...path, key]) ?? []);
  const sizes = new Map(places.map((place) => [place, JSON.stringify(place.value).length]));
  return places.reduce<Place | null>(
    (best, place) => (best === null || (sizes.get(place) ?? 0) > (sizes.get(best) ?? 0) ? place : best),
    null,
  );
}

function cutText(text: string, budget: number): string {
  const scale = text.length / JSON.stringify(text).length;
  return shorten(text, Math.max(TRUNCATED_SUFFIX.length + 1, Math.floor(budget * scale)), TRUNCATED_SUFFIX);
}

function replace(value: unknown, path: readonly string[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by;
  if (Array.isArray(value)) return value.map((each: unknown, index) => (String(index) === first ? replace(each, rest, by) : each));
  return isRecord(value) ? { ...value, [first]: replace(value[first], rest, by) } : value;
}
