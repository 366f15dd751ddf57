/** As many values from the front as fit into this many characters of JSON. */
export function take<T>(values: readonly T[], characters: number): readonly T[] {
  let used = 2;
  for (const [index, value] of values.entries()) {
    used += JSON.stringify(value).length + 1;
    if (used > characters) return values.slice(0, index);
  }
  return values;
}

/** A text cut to a length, with an ellipsis where something is missing. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.charCodeAt(length - 2) >= 0xd800 && text.charCodeAt(length - 2) <= 0xdbff ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}
