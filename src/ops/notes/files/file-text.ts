import { RouxError } from '../../../errors.ts';
import { extensionOf } from '../../../note/path.ts';
import { TEXT_FAILURES } from '../../../vault/attachments/text-cache.ts';
import type { OperationContext } from '../../operation.ts';

/** The text of a PDF or a picture, whole or of one page. */
export interface TextOfFile {
  readonly text: string;
  /** The page that was asked for. */
  readonly page?: number;
  /** How many pages a PDF has. */
  readonly pages?: number;
}

/**
 * Returns the text of a file: the page of a PDF, or all pages under their numbers. Null where it has none, with a warning that says why.
 * Throws `INVALID_PARAMS` for a page that there is not.
 */
export function textOfFile(
  { vault, warn }: Pick<OperationContext, 'vault' | 'warn'>,
  path: string,
  page: number | null,
): TextOfFile | null {
  const isPdf = extensionOf(path) === 'pdf';
  if (page !== null && !isPdf) {
    const message = `id: ${path} is no PDF and has no pages; leave out #page=${page}.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'id' });
  }
  const known = vault.search.attachments.textOf(path);
  if (known === null) return null;
  if (known.kind !== 'read') {
    warn(
      known.kind === 'failed'
        ? `There is no text of ${path}: it ${TEXT_FAILURES[known.why]}.`
        : `The text of ${path} has not been read yet: a server, "roux mcp" or "roux serve", does that while it runs.`,
    );
    return null;
  }
  const { pages, isCut } = known;
  if (!isPdf) return { text: pages.join('\n') };
  if (isCut) warn(`Only a part of ${path} was read: it is very long.`);
  if (page === null) return { text: pages.map((text, at) => `[page ${at + 1}]\n${text}`).join('\n\n'), pages: pages.length };
  const text = pages[page - 1];
  if (text === undefined) {
    const message = `id: ${path} has ${isCut ? 'no text of that page' : 'no such page'}; its pages are 1 to ${pages.length}.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'id', pages: pages.length });
  }
  return { text, page, pages: pages.length };
}
