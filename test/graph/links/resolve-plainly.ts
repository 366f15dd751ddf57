/** Paths with what they fold to. */
export type FoldedFiles = ReadonlyMap<string, string>;

export function foldFiles(files: Iterable<string>): FoldedFiles {
  return new Map([...files].map((file) => [file, fold(file)]));
}

/**
 * docs/links.md, Resolution written down once more, slowly and from scratch, to hold the resolver against.
 * Of files that differ by case or Unicode form only, the one written exactly so is taken.
 */
export function resolvePlainly(files: FoldedFiles, { linkpath, from }: { linkpath: string; from: string }): string | null {
  if (linkpath === '') return from;
  const folder = from.split('/').slice(0, -1);
  if (/^\.\.?\//.test(linkpath)) {
    const way = [...folder];
    const parts = linkpath.split('/');
    if (['.', '..'].includes(parts.at(-1) ?? '')) return null;
    for (const part of parts) {
      if (part === '..' && way.length === 0) return null;
      if (part === '..') way.pop();
      else if (part !== '.') way.push(part);
    }
    return exact(files, way.join('/'));
  }
  if (linkpath.startsWith('/')) return exact(files, linkpath.slice(1));
  const atRoot = exact(files, linkpath);
  if (atRoot !== null) return atRoot;
  for (const ending of [linkpath, `${linkpath}.md`]) {
    const found = fitting(files, isEndingIn(fold(`/${ending}`)));
    const prefix = folder.map((segment) => `${segment}/`).join('');
    const near = found.filter((file) => file.startsWith(prefix));
    const group = near.length > 0 ? near : found;
    const best = [...group].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
    if (best !== undefined) return twin(group, { best, ending: `/${ending}` });
  }
  return null;
}

function exact(files: FoldedFiles, path: string): string | null {
  for (const ending of [path, `${path}.md`]) {
    const found = fitting(files, isSame(fold(ending))).sort();
    const best = found[0];
    if (best !== undefined) return twin(found, { best, ending: `/${ending}` });
  }
  return null;
}

function twin(files: readonly string[], { best, ending }: { best: string; ending: string }): string {
  return files.find((file) => fold(file) === fold(best) && `/${file}`.endsWith(ending)) ?? best;
}

function fitting(files: FoldedFiles, isFit: (folded: string) => boolean): string[] {
  return [...files].filter(([, folded]) => isFit(folded)).map(([file]) => file);
}

const isEndingIn = (ending: string) => (folded: string) => folded.endsWith(ending);
const isSame = (whole: string) => (folded: string) => folded === whole;

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
