import type { OperationContext } from '../../operation.ts';
import { takeWhileFits } from '../../shorten.ts';

/** Limit of what is found in files, in characters: paths may be long. */
const MAX_CHARACTERS = 2_500;

/** Adds the pages of PDFs, and the pictures, that a query finds to the answer as `files`; nothing where there are none. */
export async function includeFiles(context: OperationContext, query: string): Promise<void> {
  const { hits, warnings } = await context.vault.attachments.search(query);
  for (const warning of warnings) context.warn(warning);
  const shown = takeWhileFits(hits, MAX_CHARACTERS);
  if (shown.length > 0) context.include('files', shown);
}
