/** A text with other content between the marks `<!-- name -->` and `<!-- /name -->`. */
export function between(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start === -1 || end < start) throw new Error(`The text needs the marks ${open} and ${close}.`);
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`;
}
