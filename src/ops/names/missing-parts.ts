import { joinRelative } from '../../graph/links/resolve.ts';
import type { GraphLink, GraphView } from '../../graph/view.ts';
import { followHeadings, headingKey } from '../../note/body/heading-path.ts';
import type { OutlineHeading, Problem } from '../../note/note.ts';
import { foldKey } from '../../note/path.ts';
import { runAtOnce } from '../../store/slices.ts';
import { isTooLargeToRewrite } from '../../vault/links/move.ts';
import type { Vault } from '../../vault/vault.ts';
import { presentText } from '../present-note.ts';
import { nearestNames } from './near-names.ts';

/** A heading or block that links name and their note lacks. */
export interface MissingPart {
  /** The first link as it is written, without its brackets. */
  readonly link: string;
  /** Paths of the notes that hold such links. */
  readonly from: readonly string[];
  /** Says that the link leads to no heading or block. */
  readonly message: string;
  /** Finds the nearest heading or block of that note. */
  readonly nearest: () => string | undefined;
}

/** Links to one part of a note: a heading or a block. */
interface PartLinks {
  readonly link: string;
  readonly from: Set<string>;
}

/**
 * Finds links of these notes to headings and blocks that are not there. A target is read only where something seems to be missing. `isWanted`
 * chooses among the links as they are written, by default all.
 */
export function findMissingParts(...args: Parameters<typeof findMissingPartsInSteps>): readonly MissingPart[] {
  return runAtOnce(findMissingPartsInSteps(...args));
}

/** Does the same in steps of a note each. */
export function* findMissingPartsInSteps(
  vault: Vault,
  graph: GraphView,
  sources: readonly string[],
  isWanted: (link: string) => boolean = () => true,
): Generator<void, readonly MissingPart[]> {
  const targets = new Map<string, Map<string, PartLinks>>();
  for (const source of sources) {
    for (const link of graph.links(source)) {
      const { target, subpath, linkpath, from } = link;
      if (target.kind !== 'note' || subpath.length < 2 || !isWanted(linkpath + subpath)) continue;
      const path = besideSource(graph, link) ?? target.path;
      const parts = targets.get(path) ?? new Map<string, PartLinks>();
      targets.set(path, parts);
      const links = parts.get(subpath) ?? { link: linkpath + subpath, from: new Set() };
      parts.set(subpath, links);
      links.from.add(from);
    }
    yield;
  }
  const found: MissingPart[] = [];
  for (const [path, parts] of targets) {
    for (const each of missingPartsOf(vault, graph, path, parts)) found.push(each);
    yield;
  }
  return found;
}

/** Returns those parts of a note that it lacks. */
function missingPartsOf(vault: Vault, graph: GraphView, path: string, parts: ReadonlyMap<string, PartLinks>): readonly MissingPart[] {
  const entry = graph.get(path);
  // Of a large note not all headings are known.
  if (entry === null || isTooLargeToRewrite(graph, path) || entry.problems.some(({ code }) => PARTLY_READ.has(code))) return [];
  const { headings, blocks } = entry;
  let text: string | null = null;
  return [...parts].flatMap(([subpath, { link, from }]): MissingPart[] => {
    const block = subpath.includes('#^') ? subpath.slice(subpath.lastIndexOf('#^') + 2).trim() : null;
    if (block === null ? hasHeading(headings, subpath) : blocks.some((id) => foldKey(id) === foldKey(block))) return [];
    text ??= presentText(vault, path);
    if (isWritten(text, subpath, block)) return [];
    const names = block === null ? headings.map((heading) => heading.text) : blocks.map((id) => `^${id}`);
    const nearest = (): string | undefined => nearestNames(subpath.slice(subpath.lastIndexOf('#') + 1), names)[0]?.name;
    return [{ link, from: [...from], message: `[[${link}]] leads to no ${block === null ? 'heading' : 'block'} of ${path}`, nearest }];
  });
}

/** Returns the note that other programs follow a Markdown link to: the one at that path from where it is written. Null if none is there. */
function besideSource(graph: GraphView, { form, from, linkpath }: GraphLink): string | null {
  const path = form === 'wikilink' || linkpath === '' ? null : joinRelative({ linkpath, from });
  return path === null ? null : (graph.get(path)?.path ?? null);
}

/** Problems of notes that were not read to their end. */
const PARTLY_READ: ReadonlySet<Problem['code']> = new Set(['too-large', 'too-nested', 'unreadable']);

/** Checks for a heading as Obsidian does, and as other programs do that write `#dont-do-it` for "Don't do it". */
function hasHeading(headings: readonly OutlineHeading[], subpath: string): boolean {
  const anchor = (text: string): string => headingKey(text).replaceAll(' ', '');
  return (
    followHeadings(headings, subpath) !== null ||
    headings.some(({ text }) => anchor(text) === anchor(subpath) || givenId(text) === subpath.slice(1))
  );
}

/** Returns the id at the end of a heading, as several generators of sites read it: `Install {#setup}`, `Install [setup]`. */
function givenId(heading: string): string | undefined {
  return /(?:\{#|\[)([^\s{}[\]]+)(?:\s[^{}[\]]*)?[}\]]$/.exec(heading.trimEnd())?.[1];
}

/** Checks for the id of an HTML element, a block where roux reads none, such as below code, and an id that is another program's. */
function isWritten(text: string, subpath: string, block: string | null): boolean {
  if (block === null) return text.includes(`="${subpath.slice(1)}"`);
  const end = `^${foldKey(block)}`;
  if (/[^a-z\d-]/i.test(block)) return true;
  const lines = foldKey(text).split('\n');
  return lines.map((line) => line.trimEnd()).some((line) => line.endsWith(end) && !line.endsWith(`#${end}`));
}
