import { getDocument, VerbosityLevel } from 'unpdf/pdfjs';
import type { PdfFailure, PdfReply } from './messages.ts';

/** Limits of what is read of one PDF; what is beyond them is left out, and the result says so. */
export const MAX_PAGES = 2_000;
const MAX_PAGE_CHARACTERS = 50_000;
const MAX_FILE_CHARACTERS = 4_000_000;
/** Pages per message: often enough that a document that is being read is not taken for one that hangs. */
const PAGES_PER_REPLY = 10;

type PdfDocument = Awaited<ReturnType<typeof getDocument>['promise']>;

/**
 * Reads the text layer of a PDF, page by page. Nothing is drawn, no font or other file is loaded, and this build of pdf.js has no code that
 * compiles scripts. Calls `reply` with pages in order, then once with the end or a failure.
 */
export async function readPdf(bytes: Uint8Array, reply: (message: PdfReply) => void): Promise<void> {
  const task = getDocument({
    data: bytes,
    verbosity: VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
  });
  try {
    const document = await task.promise;
    const isCut = await readPages(document, reply);
    reply({ kind: 'end', pageCount: document.numPages, isCut });
  } catch (error) {
    reply({ kind: 'failed', why: failureOf(error) });
  } finally {
    await task.destroy();
  }
}

/** Returns whether something was left out. */
async function readPages(document: PdfDocument, reply: (message: PdfReply) => void): Promise<boolean> {
  const last = Math.min(document.numPages, MAX_PAGES);
  let left = MAX_FILE_CHARACTERS;
  let isCut = last < document.numPages;
  let pages: string[] = [];
  for (let number = 1; number <= last && left > 0; number += 1) {
    const { text, isWhole } = await readPage(document, number, Math.min(left, MAX_PAGE_CHARACTERS));
    pages.push(text);
    left -= text.length;
    isCut ||= !isWhole || (left <= 0 && number < last);
    if (pages.length < PAGES_PER_REPLY) continue;
    reply({ kind: 'pages', pages });
    pages = [];
  }
  reply({ kind: 'pages', pages });
  return isCut;
}

async function readPage(
  document: PdfDocument,
  number: number,
  most: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  let text = '';
  try {
    const page = await document.getPage(number);
    const reader = page.streamTextContent({ includeMarkedContent: false }).getReader();
    for (let part = await reader.read(); !part.done && text.length <= most; part = await reader.read()) {
      for (const { str, hasEOL } of part.value.items as readonly { readonly str: string; readonly hasEOL: boolean }[]) {
        text += hasEOL ? `${str}\n` : str;
        if (text.length > most) break;
      }
    }
    await reader.cancel(new Error('The page has been read.')).catch(() => undefined);
    page.cleanup();
  } catch {
    // A page that cannot be read does not hide the others.
    return { text: clean(text), isWhole: false };
  }
  return { text: clean(text.slice(0, most)), isWhole: text.length <= most };
}

/** Joins words that a line break divides, and removes what is no text. */
function clean(text: string): string {
  return text
    .replace(/(\p{L})[-\u00ad]\n(\p{Ll})/gu, '$1$2')
    .replace(/[^\P{Cc}\n\t]|\p{Surrogate}/gu, ' ')
    .trim();
}

function failureOf(error: unknown): PdfFailure {
  return error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'broken';
}
