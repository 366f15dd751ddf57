/** A string in a JSON text: its keys from the root, and its offsets including the quotes. */
export interface JsonString {
  readonly keys: readonly (string | number)[];
  readonly start: number;
  readonly end: number;
}

/** Lists every string value of a valid JSON text with its position. Object keys are not listed. */
export function jsonStrings(text: string): JsonString[] {
  const found: JsonString[] = [];
  const tokens = text.matchAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}[\],:]/g);
  // One frame per container, with the key or index of the next value.
  const frames: { kind: 'map' | 'list'; key: string | number; isKey: boolean }[] = [];
  for (const token of tokens) {
    const frame = frames.at(-1);
    const [mark] = token;
    switch (mark) {
      case '{':
        frames.push({ kind: 'map', key: '', isKey: true });
        break;
      case '[':
        frames.push({ kind: 'list', key: 0, isKey: false });
        break;
      case '}':
      case ']':
        frames.pop();
        break;
      case ',':
        if (frame?.kind === 'map') frame.isKey = true;
        else if (frame !== undefined && typeof frame.key === 'number') frame.key += 1;
        break;
      case ':':
        if (frame !== undefined) frame.isKey = false;
        break;
      default:
        if (frame?.isKey === true) frame.key = JSON.parse(mark) as string;
        else found.push({ keys: frames.map(({ key }) => key), start: token.index, end: token.index + mark.length });
    }
  }
  return found;
}

/** Returns the offset in the JSON text of each UTF-16 unit of a string's value, and of its end. */
export function jsonOffsets(text: string, { start, end }: JsonString): number[] {
  const offsets: number[] = [];
  let at = start + 1;
  while (at < end - 1) {
    offsets.push(at);
    at += text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
  }
  return [...offsets, end - 1];
}
