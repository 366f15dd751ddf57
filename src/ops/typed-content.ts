import { RouxError } from '../errors.ts';
import { parseRelation } from '../note/body/relation.ts';
import { dropApart } from '../note/body/section-lines.ts';
import { extensionOf, extensionOfFormat, isInert } from '../note/media.ts';
import { baseName, fileName, folderOf, joinPath } from '../note/path.ts';
import { newFilePlaces } from '../vault/obsidian/new-files.ts';
import type { FileChange } from '../vault/plan/plan.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';
import type { Vault } from '../vault/vault.ts';

/** What a typed note holds: text, or bytes as base64. `format` is the client's own word for it (S0-20). */
export interface TypedContent {
  readonly content: string;
  readonly encoding: 'utf-8' | 'base64';
  readonly format: string;
}

/** How content stands in a note (docs/format.md, Frontmatter: `format`, `encoding`). */
export interface StoredContent {
  readonly body: string;
  /** The file beside the note that holds binary content. */
  readonly attachment: FileChange | null;
}

const MARKDOWN = new Set(['markdown', 'md', 'text/markdown']);

/** Whether content of this format is the body itself. */
export function isMarkdown(format: string): boolean {
  return MARKDOWN.has(format.toLowerCase());
}

/**
 * The body of a note at this path that holds this content: Markdown as it is, other text as one fenced block,
 * binary as an embed of an attachment, which goes where this vault keeps them. Throws `INVALID_ENCODING` for content that is not what
 * `encoding` says (S0-19).
 */
export function storeContent(
  vault: Pick<Vault, 'graph' | 'obsidian'>,
  { content, encoding, format }: TypedContent,
  { path, title, suffix = '' }: StoredNote,
): StoredContent {
  if (encoding === 'base64') {
    checkBase64(content);
    // A `package.json` or a script that a tool left in the vault could act there by itself: what could is `.bin`.
    const said = extensionOf(title);
    const extension = extensionOfFormat(format) ?? (isInert(said) ? said : 'bin');
    const name = `${stemOf(path, title, extension)}${suffix}.${extension}`;
    const file = joinPath(folderFor(vault, path), name);
    // The name alone leads to another file where one has it already.
    const isNew = vault.graph.resolve({ linkpath: name, from: path }).kind === 'unresolved';
    return { body: `![[${isNew ? name : file}]]\n`, attachment: { kind: 'create-bytes', path: file, base64: content } };
  }
  if (/\p{Cs}/u.test(content)) {
    throw new RouxError('INVALID_ENCODING', 'The content holds half of a surrogate pair, which UTF-8 cannot say. Send it as base64.');
  }
  if (isMarkdown(format)) return { body: content, attachment: null };
  const fence = '`'.repeat(Math.max(3, ...[...content.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const language = /^[\w+./-]+$/.test(format) ? format : '';
  return { body: `${fence}${language}\n${content}\n${fence}\n`, attachment: null };
}

/** The note that content is stored for. */
interface StoredNote {
  readonly path: string;
  readonly title: string;
  /** Follows the note's name in that of the file. */
  readonly suffix?: string;
}

/** The name of the file with a note's bytes, without its extension: that of the note, without an extension that its title has already. */
function stemOf(path: string, title: string, extension: string): string {
  const name = baseName(path);
  const end =
    extensionOf(title) === extension ? [`.${extension}`, `-${extension}`].find((each) => name.toLowerCase().endsWith(each)) : undefined;
  return end === undefined || end.length === name.length ? name : name.slice(0, -end.length);
}

/** The file that holds the content of a note: the one that it embeds under a name that roux gave, else the first one that it embeds. */
export function storedFile(vault: Pick<Vault, 'graph' | 'obsidian'>, path: string): string | null {
  const files = vault.graph.links(path).flatMap(({ isEmbed, target }) => (isEmbed && target.kind === 'attachment' ? [target.path] : []));
  return files.find((file) => isStoredFor(vault, file, path)) ?? files[0] ?? null;
}

/** Whether a file's name is one that `storeContent` gives to the content of the note at this path. */
export function isStoredFor(vault: Pick<Vault, 'graph' | 'obsidian'>, file: string, notePath: string): boolean {
  const [name, extension] = [fileName(file), extensionOf(file)];
  const own = stemOf(notePath, vault.graph.get(notePath)?.title ?? baseName(notePath), extension);
  if (!name.startsWith(own) || ![folderOf(notePath), folderFor(vault, notePath)].includes(folderOf(file))) return false;
  return /^(?:-[0-9a-z]{8})?\.\w+$/.test(name.slice(own.length)) && (extension === 'bin' || isInert(extension));
}

/** Where this vault keeps the files of a note: beside it, unless `.obsidian/app.json` says otherwise (E-26). */
function folderFor(vault: Pick<Vault, 'obsidian'>, notePath: string): string {
  return newFilePlaces(vault.obsidian('app.json')).attachments(notePath) ?? folderOf(notePath);
}

/** Follows the name of a note in that of a file with changed content of it: nothing has that name. */
export function freshSuffix(id: string): string {
  return `-${id.slice(-8)}`;
}

/** The content of a note exactly as it was given (S0-16). Throws `CONTENT_READ_FAILED` when its attachment is gone. */
export function loadContent(vault: Pick<Vault, 'graph' | 'readAttachment' | 'obsidian'>, onDisk: NoteOnDisk): TypedContent {
  const { note } = onDisk;
  const { format: storedFormat, encoding } = note.frontmatter.data;
  const format = typeof storedFormat === 'string' ? storedFormat : 'markdown';
  // Connections are lines below the content; what stood there before them is what was given.
  const text = dropApart(note.text, 'Relations', isConnection);
  const body = text.slice(note.bodyStart);
  if (encoding === 'base64') {
    const file = storedFile(vault, note.path);
    const bytes = file === null ? null : vault.readAttachment(file);
    if (bytes === null) {
      throw new RouxError(
        'CONTENT_READ_FAILED',
        `The content of ${note.path} is in a file beside it that cannot be read; restore it, or update the content.`,
      );
    }
    return { content: Buffer.from(bytes).toString('base64'), encoding: 'base64', format };
  }
  if (isMarkdown(format)) return { content: body, encoding: 'utf-8', format };
  // A person may have changed the block into something else: then the body is the content.
  const fenced = /^(`{3,})(?!`)[^\n]*\n([\s\S]*)\n\1\r?\n?$/.exec(body);
  return { content: fenced?.[2] ?? body, encoding: 'utf-8', format };
}

/** Whether a list entry is a connection: toolsets do not import one another, so it is told by its block id. */
function isConnection(line: string): boolean {
  return parseRelation(line)?.blockId?.startsWith('c-') ?? false;
}

function checkBase64(content: string): void {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(content)) return;
  throw new RouxError(
    'INVALID_ENCODING',
    'The content is not valid base64. Send padded base64 without line breaks, or encoding "utf-8" for text.',
  );
}
