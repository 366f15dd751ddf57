import { isRecord } from '../../is-record.ts';
import type { Tally } from '../imported.ts';
import { listAt, recordsAt, textAt } from '../chats/json.ts';
import { readStart } from '../source/read-file.ts';
import { sourceName } from '../source/source-path.ts';
import type { SourceFile, SourceFiles } from '../source/source-files.ts';
import { cleanLine, cleanText, toTime } from '../text/clean.ts';

type Values = Readonly<Record<string, unknown>>;

/** An issue of beads as a task has it. */
export interface Bead {
  readonly id: string;
  readonly title: string;
  /** Description, design, criteria, notes and comments, as Markdown. */
  readonly text: string;
  readonly isOpen: boolean;
  readonly closeReason: string;
  /** Why it cannot be worked on; null if nothing is said. */
  readonly blocked: string | null;
  readonly labels: readonly string[];
  readonly parent: string | null;
  /** Other issues by the type of the link. */
  readonly edges: readonly { readonly type: string; readonly id: string }[];
  readonly properties: Readonly<Record<string, string | number | readonly string[]>>;
  readonly links: readonly string[];
  readonly createdAt: string | null;
}

/** Enough for the first issue of most files. */
const START_BYTES = 256 * 1024;
/** Of one line. Issues of beads have some kilobytes. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Files of issues, the present one first. */
const FILES = ['issues.jsonl', 'beads.jsonl'];
/** What a deleted issue leaves behind. */
const DELETED = 'tombstone';
const MAX_PRIORITY = 4;

/** Returns whether a file of JSON lines is the issues of beads, by its first line. */
export async function isIssuesFile(file: SourceFile): Promise<boolean> {
  const line = (await readStart(file, START_BYTES))
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n')
    .find((each) => each.trim() !== '');
  const issue = parse(line ?? '');
  return isRecord(issue) && ['id', 'title', 'status'].every((key) => typeof issue[key] === 'string') && 'issue_type' in issue;
}

/** Reads the issues of beads, each once. Deleted ones are left out. */
export async function readBeads({ files }: SourceFiles, tally: Tally): Promise<readonly Bead[]> {
  tally.reset();
  const named = FILES.flatMap((name) => files.filter(({ path }) => sourceName(path) === name));
  const candidates = named.length > 0 ? named : files.filter(({ path }) => /\.jsonl$/i.test(path));
  const beads = new Map<string, Bead>();
  for (const file of candidates) {
    if (!(await isIssuesFile(file))) continue;
    let number = 0;
    for await (const line of readLines(file)) {
      number += 1;
      if (line === null) {
        tally.leave(`${file.path}, line ${number}`, `it has more than ${MAX_LINE_BYTES / 1024 ** 2} MB`);
        continue;
      }
      if (line.trim() === '') continue;
      const value = parse(line);
      const id = isRecord(value) ? cleanLine(textAt(value, 'id')) : '';
      if (!isRecord(value) || id === '') tally.leave(`${file.path}, line ${number}`, 'it is no issue');
      else if (textAt(value, 'status') === DELETED) tally.count('issues that were deleted in beads, not imported');
      else if (beads.has(id)) tally.leave(`${file.path}, line ${number}`, `${id} stands above already`);
      else beads.set(id, toBead(value, id));
    }
    break;
  }
  return [...beads.values()];
}

function toBead(issue: Values, id: string): Bead {
  const status = textAt(issue, 'status');
  const edges = recordsAt(issue, 'dependencies').flatMap((dependency) => {
    const [target, type] = [cleanLine(textAt(dependency, 'depends_on_id')), typeOf(dependency)];
    return target === '' || target === id ? [] : [{ type, id: target }];
  });
  const above = edges.find(({ type }) => type === 'parent-child')?.id;
  const priority = issue['priority'];
  const number = (key: string): Readonly<Record<string, number>> =>
    typeof issue[key] === 'number' && Number.isFinite(issue[key]) ? { [key]: issue[key] } : {};
  const line = (key: string, name = key): Readonly<Record<string, string>> => {
    const text = cleanLine(textAt(issue, key));
    return text === '' ? {} : { [name]: text };
  };
  const assignee = cleanLine(textAt(issue, 'assignee'));
  const reference = cleanLine(textAt(issue, 'external_ref'));
  return {
    id,
    title: cleanLine(textAt(issue, 'title'), id),
    text: toText(issue),
    isOpen: status !== 'closed',
    closeReason: cleanLine(textAt(issue, 'close_reason')),
    blocked: status === 'blocked' || status === 'deferred' ? `${status} in beads` : null,
    labels: listAt(issue, 'labels').flatMap((label) => cleanLine(label) || []),
    parent: above ?? /^(.+)\.\d{1,6}$/.exec(id)?.[1] ?? null,
    // A task has one parent; others are links.
    edges: edges.filter(({ type, id: other }) => type !== 'parent-child' || other !== above),
    properties: {
      beads: id,
      // The other way round than here, where more is more urgent.
      ...(typeof priority === 'number' && priority >= 0 && priority <= MAX_PRIORITY ? { priority: MAX_PRIORITY - priority } : {}),
      ...line('issue_type'),
      ...(status === 'open' || status === 'closed' ? {} : line('status', 'beads_status')),
      ...(assignee === '' ? {} : { assignees: [assignee] }),
      ...number('estimated_minutes'),
      ...line('due_at'),
      ...line('defer_until'),
    },
    links: reference === '' ? [] : [reference],
    createdAt: toTime(issue['created_at']) ?? null,
  };
}

/** Returns the type of a link as one word. */
function typeOf(dependency: Values): string {
  const type = cleanLine(textAt(dependency, 'type') || textAt(dependency, 'dep_type'), 'blocks');
  return type.replaceAll(' ', '-').slice(0, 100);
}

function toText(issue: Values): string {
  const sections = [
    ['', 'description'],
    ['Design', 'design'],
    ['Acceptance criteria', 'acceptance_criteria'],
    ['Notes', 'notes'],
  ].flatMap(([heading = '', key = '']) => {
    const text = cleanText(textAt(issue, key)).trim();
    return text === '' ? [] : [heading === '' ? text : `## ${heading}\n\n${text}`];
  });
  const comments = recordsAt(issue, 'comments').map((comment) => {
    const [author, at] = [cleanLine(textAt(comment, 'author'), 'somebody'), toTime(comment['created_at'])];
    return `**${author}**${at === undefined ? '' : `, ${at.slice(0, 16).replace('T', ' ')}`}\n\n${cleanText(textAt(comment, 'text')).trim()}`;
  });
  return [...sections, ...(comments.length === 0 ? [] : [`## Comments\n\n${comments.join('\n\n')}`])].join('\n\n');
}

/** Reads a file line by line; null for a line that is too long. */
async function* readLines(file: SourceFile): AsyncIterable<string | null> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of file.chunks()) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      size += end;
      yield size > MAX_LINE_BYTES ? null : Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8');
      [pieces, size] = [[], 0];
      rest = rest.subarray(end + 1);
    }
    size += rest.length;
    if (size <= MAX_LINE_BYTES) pieces.push(rest);
    else pieces = [];
  }
  if (size > 0) yield size > MAX_LINE_BYTES ? null : Buffer.concat(pieces).toString('utf8');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line.replace(/^\ufeff/, ''));
  } catch {
    return null;
  }
}
