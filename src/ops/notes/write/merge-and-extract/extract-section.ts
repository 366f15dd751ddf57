import { RouxError } from '../../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import { findSection, listSections, noSuchHeading } from '../../../../note/body/find-heading.ts';
import type { NoteChange } from '../../../../note/change.ts';
import { applyChanges } from '../../../../note/edit.ts';
import { leastOrigin } from '../../../../note/origin.ts';
import type { Origin } from '../../../../note/origin.ts';
import { parseNote } from '../../../../note/parse.ts';
import { fileName } from '../../../../note/path.ts';
import type { NotePath } from '../../../../note/path.ts';
import { isTooLargeToRewrite, withRevision } from '../../../../vault/links/move.ts';
import { planMovedSection } from '../../../../vault/links/renames/plan-section.ts';
import type { FileChange } from '../../../../vault/plan/plan.ts';
import { statedOrigin } from '../../../call/origin.ts';
import { buildLink, createRenameContext } from '../../../links.ts';
import type { OperationContext } from '../../../operation.ts';
import { definitionsIn, readText, refuseOpenEnd } from './merge-source.ts';
import { refuseToolNote } from './plan-merge.ts';

const REMEDIES = {
  task: 'graph_plan {parent} makes a part of it a task of its own.',
  other: 'Copy what the section says into content instead.',
};

const MAX_NAMED = 5;

/** The section that a new note is made from. */
export interface Extraction {
  readonly source: NoteEntry;
  /** Its heading as the caller named it: `A`, or `Above#A`. */
  readonly heading: string;
  /** The new note. */
  readonly to: NotePath;
  readonly title: string;
  readonly origin: Origin | undefined;
}

/** What the new note holds, and everything else that changes. */
export interface Extracted {
  readonly content: string;
  /** The caller's, or that of the note if it is less to be trusted (K-19). */
  readonly origin: Origin | undefined;
  readonly files: readonly FileChange[];
  readonly warnings: readonly string[];
  /** Number of other files in which links were rewritten. */
  readonly relinked: number;
}

/**
 * Plans to move what is below a heading into a new note (A-10). A link to it stays below the heading, and every link to the section, to
 * what is in it, and from it leads where it led. Called under the write lock; throws if something would be lost.
 */
export async function planExtraction(context: OperationContext, graph: GraphView, extraction: Extraction): Promise<Extracted> {
  const { source, to } = extraction;
  const { path } = source;
  await refuseToolNote(context, graph, source, REMEDIES);
  if (isTooLargeToRewrite(graph, path))
    throw new RouxError('TOO_LARGE', `${path} is too large to be written; split it by hand first.`, { path });
  const text = readText(context, source);
  const section = requireSection(path, text, extraction.heading);
  const below = text.slice(section.headingEnd, section.end);
  if (below.trim() === '')
    throw new RouxError('INVALID_PARAMS', `from: nothing is below "${section.heading.text}" in ${path}. Name a heading with text.`, {
      field: 'from',
    });
  const content = toBody(below);
  refuseOpenEnd(`the section "${section.heading.text}" of ${path}`, content);
  const rest = text.slice(0, section.headingEnd) + text.slice(section.end);
  const note = parseNote(path, text, { reader: 'authoritative' });
  const moves = createRenameContext(context.vault, graph);
  const links = planMovedSection(moves, { note, section, to, content, rest });
  const changes: readonly NoteChange[] = [
    { op: 'patch', parts: [{ kind: 'section', heading: extraction.heading, text: linkTo(graph, extraction, links.outer) }] },
    ...(links.outer.length === 0 ? [] : [{ op: 'relink' as const, links: links.outer }]),
  ];
  return {
    content: links.inner.length === 0 ? content : applyChanges(to, content, [{ op: 'relink', links: links.inner }]).text,
    origin: leastOf(statedOrigin(source), extraction.origin),
    files: [{ kind: 'change', path, changes: withRevision(moves, path, changes), expect: { etag: source.hash } }, ...links.files],
    warnings: [...findTornDefinitions(path, content, rest), ...links.warnings],
    relinked: links.files.length,
  };
}

function leastOf(stated: Origin, given: Origin | undefined): Origin | undefined {
  return stated === 'person' ? given : leastOrigin(stated, ...(given === undefined ? [] : [given]));
}

function requireSection(path: string, text: string, heading: string) {
  const sections = listSections(text);
  const section = heading.startsWith('^') ? null : findSection(sections, heading, 'from');
  if (section !== null) return section;
  throw noSuchHeading(sections, heading, { field: 'from', hint: '' });
}

/** Returns lines as the body of a new note, with the line ends of its frontmatter. */
function toBody(lines: string): string {
  const body = `${lines
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()}\n`;
  // A rule in the first line would be read as frontmatter.
  return body.startsWith('---') ? `\n${body}` : body;
}

/** Returns the link that stays in place of the section. */
function linkTo(graph: GraphView, { source, to, title }: Extraction, relinks: readonly { readonly link: string }[]): string {
  const { linkpath, displayText: shown } = buildLink(graph, { from: source.path, target: to, title });
  // The note may link to another one by that name; those links are rewritten, this one must not be.
  const name = relinks.some(({ link }) => link === linkpath)
    ? `${linkpath.slice(0, linkpath.length - fileName(linkpath).length)}${fileName(to)}`
    : linkpath;
  const display = shown ?? (name === linkpath ? null : title);
  return `[[${name}${display === null ? '' : `|${display}`}]]`;
}

/** Warns of footnotes and link references that one of the two notes uses and only the other one defines. */
function findTornDefinitions(path: string, content: string, rest: string): readonly string[] {
  const torn = (from: string, into: string): readonly string[] => {
    const own = new Set(definitionsIn(into));
    return definitionsIn(from).filter((name) => !own.has(name) && into.toLowerCase().includes(name));
  };
  const name = (names: readonly string[]): string => names.slice(0, MAX_NAMED).join(', ');
  const [here, there] = [torn(rest, content), torn(content, rest)];
  return [
    ...(here.length === 0 ? [] : [`The new note uses ${name(here)}, which ${path} defines; copy the line.`]),
    ...(there.length === 0 ? [] : [`${path} uses ${name(there)}, which the new note defines; copy the line.`]),
  ];
}
