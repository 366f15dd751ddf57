import { RouxError } from '../errors.ts';
import { parseRelation } from '../note/body/relation.ts';
import { dropApart } from '../note/body/section-lines.ts';
import { extensionOfFormat, isInert } from '../note/media.ts';
import { extensionOf, baseName, fileName, folderOf, joinPath } from '../note/path.ts';
import { fenceFor } from '../note/text.ts';
import { newFilePlaces } from '../vault/obsidian/new-files.ts';
import type { FileChange } from '../vault/plan/plan.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';
import type { Vault } from '../vault/vault.ts';

/** The content of a typed note: text, or bytes as base64. `format` is chosen by the client (S0-20). */
export interface TypedContent {
  readonly content: string;
  readonly encoding: 'utf-8' | 'base64';
  readonly format: string;
}

/** How content is stored (docs/format.md, Frontmatter: `format`, `encoding`). */
export interface StoredContent {
  readonly body: string;
  /** The file next to the note for binary content; null for text. */
  readonly attachment: FileChange | null;
}

const MARKDOWN = new Set(['markdown', 'md', 'text/markdown']);

/** Checks whether content of this format is stored as the body itself. */
export function isMarkdown(format: string): boolean {
  return MARKDOWN.has(format.toLowerCase());
}

/**
 * Returns how content is stored in a note at this path: Markdown as the body, other text as one fenced block, binary as an embedded
 * attachment in the attachment folder of this vault. Throws `INVALID_ENCODING` when the content does not match `encoding` (S0-19).
 */
export function storeContent(
  vault: Pick<Vault, 'graph' | 'settings'>,
  { content, encoding, format }: TypedContent,
  { path, title, suffix = '' }: ContentOwner,
): StoredContent {
  if (encoding === 'base64') {
    checkBase64(content);
    // Other programs may execute a `package.json` or a script that a tool saved in the vault: such extensions become `.bin`.
    const given = extensionOf(title);
    const extension = extensionOfFormat(format) ?? (isInert(given) ? given : 'bin');
    const name = `${stemOf(path, title, extension)}${suffix}.${extension}`;
    const file = joinPath(folderFor(vault, path), name);
    // The bare name would resolve to another file that has it already.
    const isNew = vault.graph.resolve({ linkpath: name, from: path }).kind === 'unresolved';
    return { body: `![[${isNew ? name : file}]]\n`, attachment: { kind: 'create-bytes', path: file, base64: content } };
  }
  if (/\p{Cs}/u.test(content)) {
    throw new RouxError('INVALID_ENCODING', 'The content contains a lone surrogate, which UTF-8 cannot encode. Send it as base64.');
  }
  if (isMarkdown(format)) return { body: content, attachment: null };
  const fence = fenceFor(content);
  const language = /^[\w+./-]+$/.test(format) ? format : '';
  return { body: `${fence}${language}\n${content}\n${fence}\n`, attachment: null };
}

/** The note whose content is stored. */
interface ContentOwner {
  readonly path: string;
  readonly title: string;
  /** Appended to the note's name in the file name. */
  readonly suffix?: string;
}

/** Returns the file name for a note's bytes, without extension: the note's name, without an extension that comes from its title. */
function stemOf(path: string, title: string, extension: string): string {
  const name = baseName(path);
  const end =
    extensionOf(title) === extension ? [`.${extension}`, `-${extension}`].find((each) => name.toLowerCase().endsWith(each)) : undefined;
  return end === undefined || end.length === name.length ? name : name.slice(0, -end.length);
}

/** Finds the file with the content of a note: the embedded one whose name roux chose, else the first embedded one. Null when none is embedded. */
export function findStoredFile(vault: Pick<Vault, 'graph' | 'settings'>, path: string): string | null {
  const files = vault.graph.links(path).flatMap(({ isEmbed, target }) => (isEmbed && target.kind === 'attachment' ? [target.path] : []));
  return files.find((file) => isStoredFor(vault, file, path)) ?? files[0] ?? null;
}

/** Checks whether `storeContent` chooses this file name for the content of the note at this path. */
export function isStoredFor(vault: Pick<Vault, 'graph' | 'settings'>, file: string, notePath: string): boolean {
  const [name, extension] = [fileName(file), extensionOf(file)];
  const own = stemOf(notePath, vault.graph.get(notePath)?.title ?? baseName(notePath), extension);
  if (!name.startsWith(own) || ![folderOf(notePath), folderFor(vault, notePath)].includes(folderOf(file))) return false;
  return /^(?:-[0-9a-z]{8})?\.\w+$/.test(name.slice(own.length)) && (extension === 'bin' || isInert(extension));
}

/** Returns the attachment folder of a note: its own folder, unless `.obsidian/app.json` names another one (E-26). */
function folderFor(vault: Pick<Vault, 'settings'>, notePath: string): string {
  return newFilePlaces(vault.settings.obsidian('app.json')).attachments(notePath) ?? folderOf(notePath);
}

/** Returns a suffix that makes the name of a file with changed content unique. */
export function createFileSuffix(id: string): string {
  return `-${id.slice(-8)}`;
}

/** Returns the content of a note exactly as it was stored (S0-16). Throws `CONTENT_READ_FAILED` when its attachment cannot be read. */
export function loadContent(vault: Pick<Vault, 'graph' | 'notes' | 'settings'>, onDisk: NoteOnDisk): TypedContent {
  const { note } = onDisk;
  const { format: storedFormat, encoding } = note.frontmatter.data;
  const format = typeof storedFormat === 'string' ? storedFormat : 'markdown';
  // Connections were appended below the content.
  const text = dropApart(note.text, 'Relations', isConnection);
  const body = text.slice(note.bodyStart);
  if (encoding === 'base64') {
    const file = findStoredFile(vault, note.path);
    const bytes = file === null ? null : vault.notes.readAttachment(file);
    if (bytes === null) {
      throw new RouxError(
        'CONTENT_READ_FAILED',
        `The content of ${note.path} is in an attachment that cannot be read; restore that file, or update the content.`,
      );
    }
    return { content: Buffer.from(bytes).toString('base64'), encoding: 'base64', format };
  }
  if (isMarkdown(format)) return { content: body, encoding: 'utf-8', format };
  // When a person has replaced the block, the body is the content.
  const fenced = /^(`{3,})(?!`)[^\n]*\n([\s\S]*)\n\1\r?\n?$/.exec(body);
  return { content: fenced?.[2] ?? body, encoding: 'utf-8', format };
}

/** Checks whether a list entry is a connection, by its block id, since toolsets do not import one another. */
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
