import { RouxError } from '../../../errors.ts';
import { linkKey, extensionOf, fileName, foldKey } from '../../../note/path.ts';
import { cleanReference } from '../../reference.ts';
import type { OperationContext } from '../../operation.ts';
import { sliceText } from '../../shorten.ts';
import { MAX_NODE_CONTENT_CHARACTERS } from '../../view.ts';
import type { LinkInfo } from '../../links.ts';
import { readCanvas } from './canvas-text.ts';

/** Maximum number of candidates listed for an ambiguous name. */
const MAX_LISTED = 10;
/** Longer canvases and bases are returned without content. */
const MAX_TEXT_CHARACTERS = 2_000_000;

/** An attachment, as tools return it. */
export interface AttachmentResponse {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly type: null;
  /** The kind of file: `png`, `canvas`, `base`. */
  readonly extension: string;
  /** In bytes. */
  readonly size: number;
  readonly created: string;
  readonly updated: string;
  /** How many links lead to it. */
  readonly incomingCount: number;
  /** The number of pages of a PDF, and the page that was asked for. */
  readonly pages?: number;
  readonly page?: number;
  /** The nodes of a canvas as text, the source of a base, or the text of a PDF or picture. */
  readonly content?: string;
  readonly next_offset?: number;
  /** The files that a canvas shows. */
  readonly links?: readonly LinkInfo[];
}

/** Maximum number of files listed as the links of a canvas. */
const MAX_LINKS = 100;

/** Returns the paths of the attachments whose path ends with `name`. */
export function attachmentsNamed({ vault }: Pick<OperationContext, 'vault'>, name: string): readonly string[] {
  if (name === '') return [];
  const ending = `/${foldKey(name)}`;
  return vault.graph.byKey(linkKey(name)).filter((path) => vault.graph.isAttachment(path) && `/${foldKey(path)}`.endsWith(ending));
}

/**
 * Resolves a reference to an attachment by its path, or by its name where only one has it. Returns null for none; throws `AMBIGUOUS` for
 * several.
 */
export function findAttachment(context: Pick<OperationContext, 'vault'>, reference: string): string | null {
  const wanted = cleanReference(reference);
  if (context.vault.graph.isAttachment(wanted)) return wanted;
  const files = attachmentsNamed(context, wanted);
  if (files.length < 2) return files[0] ?? null;
  const paths = files.slice(0, MAX_LISTED);
  throw new RouxError('AMBIGUOUS', `"${reference}" fits ${paths.join(', ')}; name the one that you mean by its path.`, {
    candidates: paths,
  });
}

/** Splits a reference to a page of a PDF, as links and the hits of search have it: `x.pdf#page=3`, `![[x.pdf#page=3]]`. */
export function splitPage(reference: string): { readonly file: string; readonly page: number | null } {
  const wanted = cleanReference(reference.replace(/^\s*!(?=\[\[)/, ''));
  const [, file = wanted, page] = /^(.*)#page=(\d{1,9})$/is.exec(wanted) ?? [];
  return { file, page: page === undefined ? null : Number(page) };
}

/** The part of an attachment's text that is asked for. */
interface AttachmentPart {
  readonly offset?: number;
  readonly characters?: number;
  /** A page of a PDF; null for all of them. */
  readonly page?: number | null;
}

/** Describes an attachment. Returns null if it has been removed meanwhile; throws `INVALID_PARAMS` for a page that there is not. */
export async function describeAttachment(
  context: Pick<OperationContext, 'vault' | 'warn'>,
  path: string,
  { offset = 0, characters = MAX_NODE_CONTENT_CHARACTERS, page = null }: AttachmentPart = {},
): Promise<AttachmentResponse | null> {
  const { vault } = context;
  const times = vault.notes.timesOf(path);
  if (times === null) return null;
  const extension = extensionOf(path);
  const isText = page === null && (extension === 'canvas' || extension === 'base') && times.size <= MAX_TEXT_CHARACTERS;
  const bytes = isText ? vault.notes.readAttachment(path) : null;
  const text = bytes === null ? null : Buffer.from(bytes).toString('utf8');
  const canvas = text === null || extension !== 'canvas' ? null : readCanvas(text);
  // Most files have no text, and most calls are about notes.
  const hasText = !isText && (page !== null || vault.search.attachments.textOf(path) !== null);
  const read = hasText ? (await import('./file-text.ts')).textOfFile(context, path, page) : null;
  const content = canvas?.text ?? text ?? read?.text ?? null;
  const excerpt = content === null ? null : sliceText(content, { limit: characters, offset });
  return {
    id: path,
    title: fileName(path),
    path,
    type: null,
    extension,
    size: times.size,
    created: new Date(times.createdMs).toISOString(),
    updated: new Date(times.modifiedMs).toISOString(),
    incomingCount: vault.graph.backlinks(path).length,
    ...(read?.pages === undefined ? {} : { pages: read.pages }),
    ...(read?.page === undefined ? {} : { page: read.page }),
    ...(excerpt === null ? {} : { content: excerpt.text }),
    ...(excerpt === null || excerpt.nextOffset === null ? {} : { next_offset: excerpt.nextOffset }),
    ...(canvas === null ? {} : { links: canvas.files.slice(0, MAX_LINKS).map((file) => ({ id: file, title: fileName(file) })) }),
  };
}
