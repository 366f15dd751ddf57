/** Files of an export. The largest workspaces of Notion have some 100,000. */
export const MAX_FILES = 300_000;
/** What an archive unpacks to, all of it together. */
export const MAX_TOTAL_BYTES = 64 * 1024 ** 3;
/** A file that grows more than this when it is unpacked is no text, image or document: zlib reaches 1,032. */
export const MAX_RATIO = 300;
/** Smaller files may be as empty as they like. */
export const MIN_SUSPECT_BYTES = 32 * 1024 ** 2;
/** An archive inside of another one, which is unpacked to be read. */
export const MAX_INNER_ARCHIVE_BYTES = 8 * 1024 ** 3;
/** Folders inside of one another. */
export const MAX_LEVELS = 60;
/** Of a page of Markdown: roux writes no file of more than 10 MB. */
export const MAX_PAGE_BYTES = 9 * 1024 ** 2;
/** A larger file is named, and not copied. */
export const MAX_COPIED_BYTES = 100 * 1024 ** 2;
/** Of a name of a file, with its folders. */
export const MAX_PATH_CHARACTERS = 2_000;
