/** Extensions of files that Obsidian shows in a note: pictures, sound, film and PDF. */
export const MEDIA_EXTENSIONS: ReadonlySet<string> = new Set(
  'avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg wav 3gp mkv mov mp4 ogv webm pdf'.split(' '),
);

/** Extensions of documents and archives that no program runs by itself. */
const DOCUMENT_EXTENSIONS: ReadonlySet<string> = new Set('csv docx epub gz odp ods odt pptx rtf tsv xlsx zip'.split(' '));

/** Media types whose extension differs from their subtype. */
const EXTENSION_OF_MEDIA_TYPE: ReadonlyMap<string, string> = new Map([
  ['image/svg+xml', 'svg'],
  ['image/x-ms-bmp', 'bmp'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/x-wav', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['video/quicktime', 'mov'],
  ['video/x-matroska', 'mkv'],
  ['video/ogg', 'ogv'],
  ['video/3gpp', '3gp'],
  ['application/gzip', 'gz'],
  ['application/epub+zip', 'epub'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
]);

/** Returns whether files with this extension are inert: media, documents and archives. */
export function isInert(extension: string): boolean {
  return MEDIA_EXTENSIONS.has(extension) || DOCUMENT_EXTENSIONS.has(extension);
}

/** Returns the extension for a client's format (`png`, `.PNG`, `image/png`); null when it is not inert. */
export function extensionOfFormat(format: string): string | null {
  const word = (format.split(';', 1)[0] ?? '').trim().toLowerCase();
  const extension = EXTENSION_OF_MEDIA_TYPE.get(word) ?? word.replace(/^\.|^[a-z]+\/(?:x-)?/, '');
  return isInert(extension) ? extension : null;
}
