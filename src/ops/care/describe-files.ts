import type { TextCounts } from '../../vault/attachments/attachment-texts.ts';
import type { Vault } from '../../vault/vault.ts';
import { listSome } from '../shorten.ts';

const REASONS: Readonly<Record<TextCounts['failed'][number]['why'], string>> = {
  encrypted: 'needs a password',
  broken: 'is damaged',
  slow: 'took too long',
  memory: 'needed too much memory',
  crashed: 'ended its reader',
  'too large': 'is too large',
  unreadable: 'could not be read',
  command: 'could not be read by the command for pictures',
};

/** Describes in one line how far PDFs and pictures are searched; null where there are none. */
export function describeFiles({ attachments }: Pick<Vault, 'attachments'>): string | null {
  const { read, waiting, cut, failed } = attachments.status();
  if (read + waiting + failed.length === 0) return null;
  const why = Object.entries(REASONS).flatMap(([reason, text]) => {
    const paths = failed.filter((each) => each.why === reason).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${paths.length} ${text} (${listSome(paths)})`];
  });
  const parts = [
    `${read} searched`,
    ...(waiting === 0 ? [] : [`${waiting} not read yet`]),
    ...(cut.length === 0 ? [] : [`${cut.length} only in part (${listSome(cut)})`]),
    ...why,
  ];
  return `${attachments.hasPictures ? 'PDFs and pictures' : 'PDFs'}: ${parts.join('; ')}.`;
}
