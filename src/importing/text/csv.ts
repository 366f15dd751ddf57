/** More cells than any table that people read. */
const MAX_CELLS = 2_000_000;

/** Reads a table with commas (RFC 4180): rows of cells. A quote that is never closed ends with the text. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  for (let at = 0; at <= text.length && cells < MAX_CELLS;) {
    const isQuoted = text[at] === '"';
    let cell: string;
    if (isQuoted) {
      let end = at + 1;
      while (end < text.length && !(text[end] === '"' && text[end + 1] !== '"')) end += text[end] === '"' ? 2 : 1;
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else cell = '';
    let end = at;
    while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end += 1;
    cell += text.slice(at, end);
    row.push(cell);
    cells += 1;
    if (text[end] === ',') {
      at = end + 1;
      continue;
    }
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
    if (end >= text.length) break;
  }
  return rows;
}
