/** A text with marked ranges, which are sorted and do not overlap. */
export function MarkedText({ text, marks }: { readonly text: string; readonly marks: readonly (readonly [start: number, end: number])[] }) {
  const parts = [];
  let from = 0;
  for (const [start, end] of marks) {
    if (start > from) parts.push(text.slice(from, start));
    parts.push(<mark key={start}>{text.slice(start, end)}</mark>);
    from = end;
  }
  parts.push(text.slice(from));
  return <>{parts}</>;
}
