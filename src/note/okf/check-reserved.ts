import { readIsoDate } from '../iso-date.ts';
import type { Note } from '../note.ts';
import { lineEnd } from '../text.ts';
import { createLineCounter, lineAt, lineOfKey } from './problem.ts';
import type { OkfProblem } from './problem.ts';
import { declaredVersion, OKF_VERSION, VERSION_KEY } from './reserved.ts';

/** A list item, in code or not. */
const ITEM = /^[ \t]*[*+-][ \t]/;

/** Checks an `index.md` against section 8 of the format. `isTop`: it is at the top of its bundle. */
export function checkIndex(note: Note, isTop: boolean): readonly OkfProblem[] {
  const { text, headings, bodyStart } = note;
  const problems: OkfProblem[] = [...checkIndexFrontmatter(note, isTop)];
  const body = text.slice(bodyStart);
  if (body.trim() === '') return problems;
  const first = headings[0];
  if (first === undefined) {
    const line = lineAt(text, bodyStart + body.search(/\S/));
    const message = 'it has no heading; an index is made of sections, each a heading and a list';
    return [...problems, { rule: 'index', level: 'error', line, message, remedy: 'put a heading above its list' }];
  }
  const item = findItem(text, bodyStart, first.start);
  if (item !== null) {
    const message = 'this entry is below no heading; an index is made of sections, each a heading and a list';
    problems.push({ rule: 'index', level: 'error', line: lineAt(text, item), message, remedy: 'put a heading above it' });
  }
  return problems;
}

function checkIndexFrontmatter(note: Note, isTop: boolean): readonly OkfProblem[] {
  const { frontmatter, text } = note;
  if (frontmatter.block === null) return [];
  if (!isTop) {
    const message = 'it has frontmatter, which only the index.md at the top of a bundle may have';
    return [{ rule: 'index', level: 'error', line: 1, message, remedy: 'remove the frontmatter, or move what it says to a concept' }];
  }
  if (!frontmatter.isReadable) return [unreadable(note, 'index')];
  const others = Object.keys(frontmatter.data).filter((key) => key !== VERSION_KEY);
  const found: OkfProblem[] = others.slice(0, 1).map((key) => ({
    rule: 'index',
    level: 'advice',
    line: lineOfKey(text, key, frontmatter.yaml),
    message: `its frontmatter has more than ${VERSION_KEY}`,
    remedy: 'move the other properties to a concept',
  }));
  return [...found, ...checkVersion(note)];
}

function checkVersion({ frontmatter, text }: Note): readonly OkfProblem[] {
  const { [VERSION_KEY]: written } = frontmatter.data;
  if (written === undefined || written === OKF_VERSION) return [];
  const version = declaredVersion(frontmatter.data);
  const isOther = version !== null && String(version) !== OKF_VERSION;
  const isWrong = version === null ? `${VERSION_KEY} is not a version` : `${VERSION_KEY} is a number, not text`;
  const message = isOther ? `it declares version ${String(version).slice(0, 40)}; this is checked as ${OKF_VERSION}` : isWrong;
  const remedy = `write ${VERSION_KEY}: "${OKF_VERSION}"${isOther ? ' if the bundle follows that' : ''}`;
  return [{ rule: 'version', level: 'advice', line: lineOfKey(text, VERSION_KEY, frontmatter.yaml), message, remedy }];
}

/** Checks a `log.md` against section 9 of the format. It may have frontmatter. */
export function checkLog(note: Note): readonly OkfProblem[] {
  const { text, headings, bodyStart, frontmatter } = note;
  const problems: OkfProblem[] = frontmatter.isReadable ? [] : [unreadable(note, 'log')];
  const lineOf = createLineCounter(text);
  const add = (offset: number, message: string, remedy: string): void => {
    problems.push({ rule: 'log', level: 'error', line: lineOf(offset), message, remedy });
  };
  let last: string | null = null;
  for (const heading of headings) {
    if (heading.level !== 2) continue;
    const day = heading.text.trim();
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || readIsoDate(day) === null) {
      add(
        heading.start,
        'this heading is not a date; the entries of a log are below dates',
        'write the date as YYYY-MM-DD and nothing else',
      );
      continue;
    }
    if (last !== null && day > last)
      add(heading.start, `${day} is below ${last}; a log has the newest date first`, 'sort the dates, newest first');
    last = day;
  }
  const first = headings.find(({ level }) => level === 2);
  const item = findItem(text, bodyStart, first?.start ?? text.length);
  if (item !== null) add(item, 'this entry is below no date', 'put a heading with its date above it: ## YYYY-MM-DD');
  return problems;
}

/** Returns where the first list item in a range begins; null for none. */
function findItem(text: string, start: number, end: number): number | null {
  for (let at = start; at < end; at = lineEnd(text, at) + 1) if (ITEM.test(text.slice(at, lineEnd(text, at)))) return at;
  return null;
}

/** Describes frontmatter that cannot be read. */
export function unreadable({ problems }: Pick<Note, 'problems'>, rule: 'frontmatter' | 'index' | 'log'): OkfProblem {
  const why = problems.find(({ code }) => code.startsWith('frontmatter-'));
  const message = `its frontmatter cannot be read${why === undefined ? '' : `: ${why.message.replace(/\.$/, '')}`}`;
  return { rule, level: 'error', line: why?.line ?? 1, message, remedy: 'mend the YAML between the two lines ---' };
}
