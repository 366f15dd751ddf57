/** Why a PDF has no text here. All but the first two may be due to the machine. */
export type PdfFailure = 'encrypted' | 'broken' | 'slow' | 'memory' | 'crashed';

/** A message of the thread: pages as they are read, then the end or a failure. */
export type PdfReply =
  | { readonly kind: 'pages'; readonly pages: readonly string[] }
  | {
      readonly kind: 'end';
      readonly pageCount: number;
      /** Whether pages or text beyond a limit were left out. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'failed'; readonly why: PdfFailure };
