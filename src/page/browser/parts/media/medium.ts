export type Medium = 'image' | 'audio' | 'video' | 'pdf';

/** What the page shows itself, by extension. The server sends these with their types, and everything else as a download. */
const MEDIA: ReadonlyMap<string, Medium> = new Map([
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'svg'].map((each) => [each, 'image'] as const),
  ...['mp3', 'wav', 'm4a', 'ogg', 'flac'].map((each) => [each, 'audio'] as const),
  ...['mp4', 'webm', 'mov'].map((each) => [each, 'video'] as const),
  ['pdf', 'pdf'],
]);

/** Returns what a file is shown as; null if it can only be downloaded. */
export function mediumOf(path: string): Medium | null {
  return MEDIA.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '') ?? null;
}
