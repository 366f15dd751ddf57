/**
 * links.md 1.3 written down once more, slowly and from scratch, to hold the resolver against.
 * Of files that differ by case or Unicode form only, the one written exactly so is taken.
 */
export function resolvePlainly(files: readonly string[], { linkpath, from }: { linkpath: string; from: string }): string | null {
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
    const fitting = files.filter((file) => fold(file).endsWith(fold(`/${ending}`)));
    const prefix = folder.map((segment) => `${segment}/`).join('');
    const near = fitting.filter((file) => file.startsWith(prefix));
    const group = near.length > 0 ? near : fitting;
    const best = [...group].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
    if (best !== undefined) return twin(group, { best, ending: `/${ending}` });
  }
  return null;
}

function exact(files: readonly string[], path: string): string | null {
  for (const ending of [path, `${path}.md`]) {
    const fitting = files.filter((file) => fold(file) === fold(ending)).sort();
    const best = fitting[0];
    if (best !== undefined) return twin(fitting, { best, ending: `/${ending}` });
  }
  return null;
}

function twin(files: readonly string[], { best, ending }: { best: string; ending: string }): string {
  return files.find((file) => fold(file) === fold(best) && `/${file}`.endsWith(ending)) ?? best;
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
