import { extensionOf } from '../../note/path.ts';
import type { TreeProperties } from '../tree.ts';

/** Elements that show a file of the vault. The page fetches the file named in `dataFile`: a `src` cannot carry the token. */
export type MediaElement = 'img' | 'audio' | 'video';

const EXTENSIONS: Readonly<Record<MediaElement, string>> = {
  // As an image, so that scripts of SVG files do not run.
  img: 'avif bmp gif jpeg jpg png svg webp',
  audio: '3gp flac m4a mp3 ogg wav',
  video: 'mkv mov mp4 ogv webm',
};
const ELEMENTS: ReadonlyMap<string, MediaElement> = new Map(
  Object.entries(EXTENSIONS).flatMap(([element, names]) => names.split(' ').map((name) => [name, element as MediaElement])),
);

/** `300` or `300x200`, after the pipe of an embed. */
const SIZE = /^\s*(\d{1,4})(?:x(\d{1,4}))?\s*$/;

/** Returns the element that shows a file, or null for other files. */
export function mediaElementOf(path: string): MediaElement | null {
  return ELEMENTS.get(extensionOf(path)) ?? null;
}

/** Splits the label of an embed at its last pipe, if a size follows: `a lake|300`. Each part may be empty. */
export function splitSize(label: string): { readonly said: string; readonly size: string } {
  const pipe = label.lastIndexOf('|');
  const size = label.slice(pipe + 1);
  if (!SIZE.test(size)) return { said: label, size: '' };
  // In a table the pipe is written `\|`.
  return { said: label.slice(0, Math.max(pipe, 0)).replace(/\\$/, ''), size };
}

interface MediaOptions {
  readonly label: string;
  /** `300` or `300x200`. */
  readonly size?: string;
  /** `#t=90`, from where sound or film is played. */
  readonly subpath?: string;
}

/** Returns the properties of the element that shows a file. */
export function mediaProperties(element: MediaElement, path: string, { label, size = '', subpath = '' }: MediaOptions): TreeProperties {
  const [, width, height] = SIZE.exec(size) ?? [];
  const sizes = {
    ...(width === undefined ? {} : { width: Number(width) }),
    ...(height === undefined ? {} : { height: Number(height) }),
  };
  if (element === 'img') return { dataFile: path, alt: label, ...sizes };
  const start = startOf(subpath);
  return {
    dataFile: path,
    controls: true,
    ariaLabel: label,
    ...(start === 0 ? {} : { dataStart: start }),
    ...(element === 'video' ? sizes : {}),
  };
}

/** Returns the seconds of `#t=90`, `#t=1:30` or `#t=10,20`; 0 for none. */
function startOf(subpath: string): number {
  const written = /^#t=([\d:]{1,9})/.exec(subpath)?.[1] ?? '';
  return written.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

/** Returns the page of `#page=3`, or null. */
export function pageOf(subpath: string): number | null {
  const page = Number(/^#page=(\d{1,6})\b/.exec(subpath)?.[1] ?? 0);
  return page === 0 ? null : page;
}
