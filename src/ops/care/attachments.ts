import { listSome } from '../shorten.ts';
import { MEDIA_EXTENSIONS } from '../../note/media.ts';
import { extensionOf, fileName, folderOf, foldKey } from '../../note/path.ts';
import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../note/note.ts';
import { usesInCanvases } from '../../vault/links/canvas.ts';
import { TEXT_FAILURES } from '../../vault/attachments/text-cache.ts';
import type { Vault } from '../../vault/vault.ts';
import { createRenameContext } from '../links.ts';
import type { Finding, CheckInput } from './finding.ts';

/** Finds attachments (images, audio, video, PDF) that no link, canvas or property refers to; one finding per folder. */
export function findUnusedAttachments({ vault, graph, entries }: CheckInput): readonly Finding[] {
  const alone = [...graph.attachments()].filter((path) => MEDIA_EXTENSIONS.has(extensionOf(path)) && graph.backlinks(path).length === 0);
  if (alone.length === 0) return [];
  const shown = usesInCanvases(createRenameContext(vault, graph));
  const named = new Set(entries.flatMap((entry) => Object.values(entry.properties).flatMap(textsOf)));
  const unused = alone.filter((path) => !shown.has(path) && !named.has(foldKey(path)) && !named.has(foldKey(fileName(path))));
  const folders = new Map<string, string[]>();
  for (const path of unused.sort()) {
    const paths = folders.get(folderOf(path));
    if (paths === undefined) folders.set(folderOf(path), [path]);
    else paths.push(path);
  }
  return [...folders].map(([folder, paths]): Finding => {
    const many = paths.length === 1 ? `${paths[0] ?? ''} is` : `${paths.length} files in ${folder === '' ? 'the root' : `${folder}/`} are`;
    const list = paths.length === 1 ? '' : `: ${listSome(paths.map(fileName))}`;
    return { kind: 'unused-attachment', paths, message: `${many} linked from no note and shown by no canvas${list}` };
  });
}

/** Yields the texts of a property at any depth, folded for comparison with file names. */
function textsOf(value: PropertyValue): readonly string[] {
  if (typeof value === 'string') return [foldKey(value.trim())];
  if (isPropertyList(value)) return value.flatMap(textsOf);
  return isPropertyMap(value) ? Object.values(value).flatMap(textsOf) : [];
}

/** Describes in one line how far PDFs and pictures are searched; null where there are none. */
export function describeFiles({ attachments }: Pick<Vault['search'], 'attachments'>): string | null {
  const { read, waiting, cut, failed } = attachments.status();
  if (read + waiting + failed.length === 0) return null;
  const why = Object.entries(TEXT_FAILURES).flatMap(([reason, text]) => {
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
