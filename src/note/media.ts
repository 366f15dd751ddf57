/** Extensions of files that Obsidian shows in a note: pictures, sound, film and PDF. */
export const MEDIA_EXTENSIONS: ReadonlySet<string> = new Set(
  'avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg wav 3gp mkv mov mp4 ogv webm pdf'.split(' '),
);

/** The extension of a path in lower case, without the dot; `''` where there is none. */
export function extensionOf(path: string): string {
  return (/\.([^./]+)$/.exec(path)?.[1] ?? '').toLowerCase();
}
