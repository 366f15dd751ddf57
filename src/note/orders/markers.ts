import type { OrderKind } from './phrases.ts';

/** Shapes in which hosts write roles and calls into the text that a model reads. */
export const MARKERS: readonly { readonly kind: OrderKind; readonly pattern: RegExp }[] = [
  {
    kind: 'role-marker',
    pattern:
      /<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|start_header_id|end_header_id|eot_id|end|channel|message)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|system[-_](?:prompt|message|reminder|instructions?)|developer[-_](?:prompt|message|instructions?))>|^ {0,3}#{1,6} {0,4}system(?: prompt| message)? {0,4}:/gim,
  },
  {
    kind: 'tool-call',
    pattern:
      /<\/?(?:antml:)?(?:function_calls|function_results|tool_use|tool_calls?|tool_results?|tool_response)>|<(?:antml:)?invoke {1,4}name {0,4}=|<tool_use[ >]|\{\s{0,20}"(?:tool_calls?|function_call|tool_use)"\s{0,20}:|"type"\s{0,20}:\s{0,20}"(?:tool_use|tool_call|tool_result|function_call)"/gi,
  },
];

/** Finds out where a text is code: fenced blocks, and spans between backticks. */
export class CodeRanges {
  readonly #text: string;
  /** The fenced blocks, start and end. */
  #fences: readonly (readonly [start: number, end: number])[] | null = null;
  /** The first fence that ends after the last offset that was asked about. */
  #next = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns whether an offset is in code. Called with growing offsets. */
  has(at: number): boolean {
    this.#fences ??= findFences(this.#text);
    while ((this.#fences[this.#next]?.[1] ?? Number.POSITIVE_INFINITY) <= at) this.#next += 1;
    return at >= (this.#fences[this.#next]?.[0] ?? Number.POSITIVE_INFINITY) || isInSpan(this.#text, at);
  }
}

function findFences(text: string): readonly (readonly [start: number, end: number])[] {
  const fences: [number, number][] = [];
  let open: { readonly mark: string; readonly at: number } | null = null;
  for (const { index, 1: mark = '', 2: info = '' } of text.matchAll(/^[ \t>*+-]{0,12}(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (open === null) open = mark.startsWith('`') && info.includes('`') ? null : { mark, at: index };
    else if (mark[0] === open.mark[0] && mark.length >= open.mark.length && info.trim() === '') {
      fences.push([open.at, index]);
      open = null;
    }
  }
  if (open !== null) fences.push([open.at, text.length]);
  return fences;
}

/** Maximum characters of a line before an offset in which a span of code is looked for. */
const MAX_SPAN_CHARACTERS = 2_000;

/** Returns whether an offset lies between two runs of backticks of one length in its line. */
function isInSpan(text: string, at: number): boolean {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = text.indexOf('\n', at);
  const start = Math.max(lineStart, at - MAX_SPAN_CHARACTERS);
  const line = text.slice(start, Math.min(lineEnd === -1 ? text.length : lineEnd, at + MAX_SPAN_CHARACTERS));
  let open: string | null = null;
  for (const { index, 0: run } of line.matchAll(/`+/g)) {
    if (start + index > at) return open !== null && run === open;
    if (open === null) open = run;
    else if (open === run) open = null;
  }
  return false;
}
