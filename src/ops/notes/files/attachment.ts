import { RouxError } from '../../../errors.ts';
import { linkKey } from '../../../graph/links/resolve.ts';
import { extensionOf } from '../../../note/media.ts';
import { fileName, foldKey } from '../../../note/path.ts';
import { cleanReference } from '../../reference.ts';
import type { OperationContext } from '../../operation.ts';
import { sliceText } from '../../shorten.ts';
import { MAX_NODE_CONTENT_CHARACTERS } from '../../view.ts';
import type { LinkInfo } from '../../links.ts';
import { readCanvas } from './canvas-text.ts';

/** So many files are named where a name fits several. */
const MAX_LISTED = 10;
/** Longer texts of canvases and bases are not shown. */
const MAX_TEXT_CHARACTERS = 2_000_000;

/** A file of the vault that is no note, as tools answer it. */
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
  /** Of a canvas its nodes as text, of a base what stands in it. */
  readonly content?: string;
  readonly next_offset?: number;
  /** What a canvas shows. */
  readonly links?: readonly LinkInfo[];
}

/** Files that are no notes, by the end of their paths. */
export function attachmentsNamed({ vault }: Pick<OperationContext, 'vault'>, name: string): readonly string[] {
  if (name === '') return [];
  const ending = `/${foldKey(name)}`;
  return vault.graph.byKey(linkKey(name)).filter((path) => vault.graph.isAttachment(path) && `/${foldKey(path)}`.endsWith(ending));
}

/** The file that is no note and that a reference means: its path, or its name where only one has it. Null for none; `AMBIGUOUS` for several. */
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

/** What there is to say of such a file; null where it went away meanwhile. */
export function describeAttachment(
  { vault }: Pick<OperationContext, 'vault'>,
  path: string,
  { offset = 0, characters = MAX_NODE_CONTENT_CHARACTERS }: { readonly offset?: number; readonly characters?: number } = {},
): AttachmentResponse | null {
  const times = vault.timesOf(path);
  if (times === null) return null;
  const extension = extensionOf(path);
  const isText = (extension === 'canvas' || extension === 'base') && times.size <= MAX_TEXT_CHARACTERS;
  const bytes = isText ? vault.readAttachment(path) : null;
  const text = bytes === null ? null : Buffer.from(bytes).toString('utf8');
  const canvas = text === null || extension !== 'canvas' ? null : readCanvas(text);
  const content = canvas?.text ?? text;
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
    ...(excerpt === null ? {} : { content: excerpt.text }),
    ...(excerpt === null || excerpt.nextOffset === null ? {} : { next_offset: excerpt.nextOffset }),
    ...(canvas === null ? {} : { links: canvas.files.slice(0, MAX_LINKS).map((file) => ({ id: file, title: fileName(file) })) }),
  };
}

/** So many files that a canvas shows are listed. */
const MAX_LINKS = 100;
