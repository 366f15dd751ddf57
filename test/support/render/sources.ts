import type { LinkTarget, RenderedNote, RenderJob, RenderSource } from '../../../src/render/job.ts';
import { renderNote } from '../../../src/render/render-note.ts';

/** Links of tests: what ends in a file's extension is a file, `none…` is nothing yet, all else is a note. */
function meaningOf(linkpath: string): LinkTarget {
  if (linkpath.startsWith('none')) return { kind: 'unresolved' };
  if (/\.(?:png|svg|pdf|mp3|mp4)$/.test(linkpath)) return { kind: 'attachment', path: linkpath };
  return { kind: 'note', path: `${linkpath.replace(/\.md$/, '')}.md`, title: linkpath };
}

const links: ReadonlyMap<string, LinkTarget> = Object.assign(new Map<string, LinkTarget>(), { get: meaningOf });

/** Renders the body of `a.md`, beside other notes that it may embed. */
export function render(body: string, others: Readonly<Record<string, string>> = {}, options: Partial<RenderJob> = {}): RenderedNote {
  const source = ([path, text]: readonly [string, string]): [string, RenderSource] => [
    path,
    { path, title: path.replace(/\.md$/, ''), body: text, bodyLine: 0, links },
  ];
  return renderNote({ path: 'a.md', sources: new Map([['a.md', body] as const, ...Object.entries(others)].map(source)), ...options });
}
