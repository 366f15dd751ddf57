/** What a finding about a bundle is about. The first five are the rules of conformance (section 11 of the specification). */
export type OkfRule =
  | 'frontmatter'
  | 'type'
  | 'encoding'
  | 'index'
  | 'log'
  | 'version'
  | 'name'
  | 'legacy'
  | 'timestamp'
  | 'actor'
  | 'status'
  | 'sources'
  | 'footnote'
  | 'computation'
  | 'path'
  | 'link';

/** One thing that the format says otherwise. */
export interface OkfProblem {
  readonly rule: OkfRule;
  /** `error`: the bundle does not conform. `advice`: it conforms, and others may not understand this as it is meant. */
  readonly level: 'error' | 'advice';
  /** 1-based line in the file. */
  readonly line: number;
  /** What is the case, as a clause. */
  readonly message: string;
  /** What to do about it, as an imperative. */
  readonly remedy: string;
}

/** Returns the 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  return createLineCounter(text)(offset);
}

/** Creates a `lineAt` for many offsets. It goes through the text once if they ascend. */
export function createLineCounter(text: string): (offset: number) => number {
  let [line, end, last] = [1, text.indexOf('\n'), 0];
  return (offset) => {
    if (offset < last) [line, end] = [1, text.indexOf('\n')];
    last = offset;
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
    return line;
  };
}

/** Returns the line of a property; that of the frontmatter if it is not found. */
export function lineOfKey(text: string, key: string, yaml: { readonly start: number; readonly end: number } | null): number {
  if (yaml === null) return 1;
  for (let at = yaml.start; at < yaml.end; at = text.indexOf('\n', at) + 1) {
    const name = text.startsWith('"', at) || text.startsWith("'", at) ? at + 1 : at;
    if (text.startsWith(key, name) && /^["']?\s*:/.test(text.slice(name + key.length, name + key.length + 8))) return lineAt(text, at);
    if (text.indexOf('\n', at) === -1) break;
  }
  return 1;
}
