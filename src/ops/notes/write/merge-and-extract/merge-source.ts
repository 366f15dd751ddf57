import { RouxError } from '../../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import { headingKey } from '../../../../note/body/heading-path.ts';
import { patchBody } from '../../../../note/body/patch.ts';
import type { Relink } from '../../../../note/change.ts';
import { applyChanges } from '../../../../note/edit.ts';
import { bodyStartOf, readFrontmatter } from '../../../../note/frontmatter/read-frontmatter.ts';
import type { Properties } from '../../../../note/note.ts';
import type { OperationContext } from '../../../operation.ts';

/** A note that is merged into another one, with its links as they have to be there. */
export interface MergeSource {
  readonly entry: NoteEntry;
  readonly properties: Properties;
  /** Without blank lines around it. */
  readonly body: string;
}

const MAX_NAMED = 5;

/** Reads the text of a note as the graph knows it. Throws `CONFLICT` if the file has changed since. */
export function readText({ vault }: OperationContext, { path, hash }: NoteEntry): string {
  const onDisk = vault.notes.readUnstable(path);
  if (onDisk !== null && onDisk.hash === hash) return onDisk.note.text;
  throw new RouxError('CONFLICT', `${path} changed a moment ago; read it again and retry.`, { path }, { retryable: true });
}

/** Reads a source. Throws for one of which something would be lost: unreadable frontmatter, a stored file, a block that is open at its end. */
export function readSource(context: OperationContext, entry: NoteEntry, relinks: readonly Relink[]): MergeSource {
  const { path, problems, properties: stated } = entry;
  const problem = problems.find(({ code }) => code.startsWith('frontmatter-'));
  if (problem !== undefined)
    throw new RouxError('INVALID_FRONTMATTER', `The frontmatter of ${path} cannot be taken over: ${problem.message}. Correct it first.`, {
      path,
    });
  if (stated['encoding'] === 'base64' || (stated['format'] !== undefined && stated['format'] !== 'md'))
    throw new RouxError(
      'INVALID_PARAMS',
      `${path} holds a file (format ${JSON.stringify(stated['format'])}), which has no text to merge.`,
      { path },
    );
  const text = readText(context, entry);
  refuseOpenEnd(path, text);
  const relinked = relinks.length === 0 ? text : applyChanges(path, text, [{ op: 'relink', links: relinks }]).text;
  const body = relinked
    .slice(bodyStartOf(relinked))
    .replace(/^(?:[ \t]*\r?\n)+/, '')
    .trimEnd();
  return { entry, properties: readFrontmatter(relinked).data, body };
}

/** Throws for a text in which a code block or comment is open at the end: what comes after it would become a part of that. */
export function refuseOpenEnd(path: string, text: string): void {
  const isOpen = isCommentOpen(text) || !canGoOn(text);
  if (!isOpen) return;
  throw new RouxError('INVALID_PARAMS', `A code block or comment is open at the end of ${path}; close it first, with edits.`, { path });
}

function canGoOn(text: string): boolean {
  try {
    patchBody(text, [{ kind: 'insert', at: 'end', text: '\n[[x]]', under: null, makes: false, isAbove: false }]);
    return true;
  } catch (error) {
    if (error instanceof RouxError) return false;
    throw error;
  }
}

/** Returns whether a `%%` outside code has no other one. */
function isCommentOpen(text: string): boolean {
  if (!text.includes('%%')) return false;
  let [fence, count] = ['', 0];
  for (const line of text.slice(bodyStartOf(text)).split(/\r?\n/)) {
    const [mark = ''] = /^ {0,3}(?:`{3,}|~{3,})/.exec(line) ?? [];
    const run = mark.trim();
    if (fence !== '') fence = run.startsWith(fence) && line.trim() === run ? '' : fence;
    else if (run !== '') fence = run;
    else count += line.replace(/(?<!`)(`+)(?!`)[^`]+\1(?!`)/g, '').split('%%').length - 1;
  }
  return count % 2 === 1;
}

/** Warns of what the notes have twice then: headings, blocks, footnotes and definitions. Links lead to the first of the two. */
export function findClashes(graph: GraphView, target: NoteEntry, text: string, sources: readonly MergeSource[]): readonly string[] {
  const [headings, blocks] = [new Map<string, string>(), new Map<string, string>()];
  const definitions = new Map<string, string>();
  const addAll = (entry: NoteEntry, body: string): void => {
    for (const heading of entry.headings) addFirst(headings, headingKey(heading.text), entry.path);
    for (const block of entry.blocks) addFirst(blocks, block.toLowerCase(), entry.path);
    for (const name of definitionsIn(body)) addFirst(definitions, name, entry.path);
  };
  addAll(target, text);
  const warnings: string[] = [];
  for (const { entry, body } of sources) {
    const named = [...new Set(graph.backlinks(entry.path).map(({ subpath }) => subpath))].filter((subpath) => subpath !== '');
    const doubled = named.flatMap((part) => {
      const owner = part.startsWith('#^') ? blocks.get(part.slice(2).toLowerCase()) : headings.get(headingKey(part.slice(1)));
      return owner === undefined ? [] : [`Links to ${entry.path}${part} lead to the "${part.slice(1)}" that was in ${owner} now.`];
    });
    const defined = definitionsIn(body).flatMap((name) => {
      const owner = definitions.get(name);
      return owner === undefined ? [] : [`Both ${entry.path} and ${owner} define ${name}; rename one of the two.`];
    });
    warnings.push(...doubled.slice(0, MAX_NAMED), ...defined.slice(0, MAX_NAMED));
    addAll(entry, body);
  }
  return warnings;
}

function addFirst(owners: Map<string, string>, name: string, owner: string): void {
  if (!owners.has(name)) owners.set(name, owner);
}

/** Returns the footnotes and link references that a text defines. */
export function definitionsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/^ {0,3}\[(\^?[^\]\n]{1,200})\]:/gm)].map(([, name = '']) => `[${name.toLowerCase()}]`))];
}
