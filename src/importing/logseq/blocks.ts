import { cleanLine } from '../text/clean.ts';
import { quietLanguage } from '../text/live.ts';

/** What a task of Logseq becomes: the character in the box, and what the box does not say. */
const MARKERS: Readonly<Record<string, { readonly box: string; readonly says?: string }>> = {
  TODO: { box: ' ' },
  LATER: { box: ' ' },
  DOING: { box: '/' },
  NOW: { box: '/' },
  'IN-PROGRESS': { box: '/' },
  DONE: { box: 'x' },
  CANCELED: { box: '-' },
  CANCELLED: { box: '-' },
  WAITING: { box: ' ', says: 'waiting' },
  WAIT: { box: ' ', says: 'waiting' },
};
const TASK = /^([ \t]*[-*] +)(TODO|LATER|DOING|NOW|IN-PROGRESS|DONE|CANCELED|CANCELLED|WAITING|WAIT) +(?:\[#([ABC])\] *)?(.*)$/;
const PRIORITIES: Readonly<Record<string, string>> = { A: 'high', B: 'medium', C: 'low' };
const DAY = /^[ \t]*(SCHEDULED|DEADLINE): <(\d{4}-\d{2}-\d{2})[^>\n]{0,60}>\s*$/;
/** An id that is all of a block's first line: its text, such as a block of code, is below. */
const ID_FIRST = /^([ \t]*[-*] +)id:: *([\w-]+)\s*$/;
/** What an id cannot stand behind: the first lines of code and of tables. */
const UNMARKABLE = /^[ \t]*[-*] +(?:`{3}|~{3}|\|)/;
const BLOCK_PROPERTY = /^[ \t]+(id|collapsed):: *(\S*)\s*$/;
const UNITS: Readonly<Record<string, string>> = { d: 'day', w: 'week', m: 'month', y: 'year', h: 'hour' };
const ADMONITIONS: Readonly<Record<string, string>> = {
  NOTE: 'note',
  TIP: 'tip',
  WARNING: 'warning',
  CAUTION: 'caution',
  IMPORTANT: 'important',
  PINNED: 'info',
  QUOTE: 'quote',
  CENTER: 'note',
};

/** Counts what blocks lose or say in other words. */
export type CountBlock = (what: string) => void;

/** Writes the blocks of a page as Obsidian has them: tasks as checkboxes with fields, ids of blocks behind their text, admonitions as callouts. */
export function convertBlocks(lines: readonly string[], count: CountBlock): readonly string[] {
  const result: string[] = [];
  /** Where the text of the present block is in `result`. */
  let block = -1;
  /** The id that was read last, as its block ends with it. */
  let lastId = '';
  let fence = '';
  let quote: string | null = null;
  const append = (text: string): void => {
    const written = result[block] ?? '';
    // An id counts at the end alone.
    result[block] =
      lastId !== '' && written.endsWith(lastId) ? `${written.slice(0, -lastId.length)} ${text}${lastId}` : `${written} ${text}`;
  };
  for (const line of lines) {
    const mark = /^[ \t]*(?:[-*] +)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== '') {
      if (mark?.startsWith(fence) === true) fence = '';
      result.push(line);
      continue;
    }
    if (mark !== undefined) fence = mark;
    const [, indent = '', bullet = '', order, name = '', rest = ''] = /^([ \t]*)([-*] +)?#\+(BEGIN|END)_(\w{1,20})(.*)$/i.exec(line) ?? [];
    if (order !== undefined) {
      const written = convertOrder({ isBegin: order.toUpperCase() === 'BEGIN', name: name.toUpperCase(), rest: rest.trim() });
      quote = written.quote;
      result.push(`${indent}${bullet}${written.line}`.trimEnd());
      if (bullet !== '') block = result.length - 1;
      continue;
    }
    const [, key, value = ''] = BLOCK_PROPERTY.exec(line) ?? [];
    if (key === 'collapsed') count('folded blocks that are open now');
    else if (key === 'id' && block >= 0 && UNMARKABLE.test(result[block] ?? ''))
      // A line of its own is a row of the table above it.
      result.push(...(/\|\s*$/.test(result.at(-1) ?? '') ? [''] : []), `${/^[ \t]*/.exec(line)?.[0] ?? ''}^${value.toLowerCase()}`);
    else if (key === 'id' && block >= 0) {
      append(`^${value.toLowerCase()}`);
      lastId = ` ^${value.toLowerCase()}`;
    } else if (ID_FIRST.test(line)) {
      result.push(line.replace(ID_FIRST, (_, bullet: string, id: string) => `${bullet}^${id.toLowerCase()}`));
      block = result.length - 1;
    } else if (DAY.test(line) && block >= 0) append(toFields(line));
    else if (quote !== null)
      result.push(line.replace(/^([ \t]*)/, (_, space: string) => `${space.slice(0, quote?.length ?? 0) || (quote ?? '')}> `));
    else {
      const isBlock = /^[ \t]*[-*](?: |$)/.test(line);
      result.push(convertTask(line));
      if (isBlock || block === -1) block = isBlock ? result.length - 1 : block;
    }
  }
  return result;
}

function convertOrder({ isBegin, name, rest }: { readonly isBegin: boolean; readonly name: string; readonly rest: string }): {
  readonly line: string;
  readonly quote: string | null;
} {
  const kind = Object.hasOwn(ADMONITIONS, name) ? ADMONITIONS[name] : undefined;
  if (kind !== undefined) return { line: isBegin ? `> [!${kind}]` : '', quote: isBegin ? '  ' : null };
  const language = name === 'QUERY' ? 'clojure' : name === 'SRC' ? rest : '';
  return { line: isBegin ? `\`\`\`${quietLanguage(language)}` : '```', quote: null };
}

function convertTask(line: string): string {
  const [, bullet = '', marker = '', priority, text = ''] = TASK.exec(line) ?? [];
  const meaning = Object.hasOwn(MARKERS, marker) ? MARKERS[marker] : undefined;
  if (meaning === undefined) return line;
  const fields = [
    ...(priority === undefined ? [] : [`[priority:: ${PRIORITIES[priority] ?? priority}]`]),
    ...(meaning.says === undefined ? [] : [`[status:: ${meaning.says}]`]),
  ];
  return [`${bullet}[${meaning.box}] ${text}`, ...fields].join(' ');
}

/** Returns the fields for a line with a day, a time and a repetition. */
function toFields(line: string): string {
  const [, kind = '', day = ''] = DAY.exec(line) ?? [];
  const time = /\b(\d{1,2}:\d{2})\b/.exec(line)?.[1];
  const [, start = '', number = '', unit = ''] = /(\.\+|\+\+|\+)(\d{1,3})([dwmyh])\b/.exec(line) ?? [];
  const every = number === '1' ? `every ${UNITS[unit] ?? unit}` : `every ${number} ${UNITS[unit] ?? unit}s`;
  return [
    `[${kind === 'DEADLINE' ? 'due' : 'scheduled'}:: ${day}]`,
    ...(time === undefined ? [] : [`[time:: ${cleanLine(time)}]`]),
    ...(number === '' ? [] : [`[repeat:: ${every}${start === '.+' ? ' when done' : ''}]`]),
  ].join(' ');
}
