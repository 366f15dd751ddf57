import { baseName, fileName, folderOf } from '../../../note/path.ts';

/** Files of the site at its root, which no note may take the place of. */
const RESERVED: ReadonlySet<string> = new Set(['404', 'assets', 'data', 'files', 'graph', 'index', 'notes', 'sitemap', 'tags']);
/** Names that Windows does not allow. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
/** File systems allow names of 255 bytes; a number and an extension may follow. */
const MAX_NAME_BYTES = 180;

/** Assigns the files of a site. Names differ by more than case, and are the same in every run on the same notes. */
export class SiteAddresses {
  readonly #taken = new Set<string>();

  /** Returns the file of a note, such as `Guide/First-steps.html`. */
  note(path: string): string {
    const folders = folderOf(path)
      .split('/')
      .filter((name) => name !== '')
      .map((name) => slugOf(name).replaceAll('.', '-'));
    const name = slugOf(baseName(path));
    const [first = name] = folders;
    const isReserved = RESERVED.has(first.toLowerCase());
    const parts = isReserved && folders.length > 0 ? [`${first}-`, ...folders.slice(1)] : folders;
    return this.#take([...parts, isReserved && folders.length === 0 ? `${name}-` : name].join('/'), '.html');
  }

  /** Returns the file of an attachment, below `files/`. The folder that it is in may have notes that are not published, and is not named. */
  file(path: string): string {
    const name = fileName(path);
    const dot = name.lastIndexOf('.');
    return this.#take(`files/${slugOf(name.slice(0, dot))}`, `.${slugOf(name.slice(dot + 1)).toLowerCase()}`);
  }

  /** Returns the page of a tag, below `tags/`. */
  tag(tag: string): string {
    return this.#take(
      `tags/${tag
        .split('/')
        .map((name) => slugOf(name).replaceAll('.', '-'))
        .join('/')}`,
      '.html',
    );
  }

  #take(stem: string, extension: string): string {
    for (let number = 1; ; number += 1) {
      const file = `${stem}${number === 1 ? '' : `-${number}`}${extension}`;
      const key = file.normalize('NFC').toLowerCase();
      if (this.#taken.has(key)) continue;
      this.#taken.add(key);
      return file;
    }
  }
}

/** Returns a name that is one in every file system and needs no escapes but those of its letters: words with dashes between them. */
function slugOf(name: string): string {
  const words = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}._~-]+/gu, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  let cut = '';
  let bytes = 0;
  for (const character of words) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_NAME_BYTES) break;
    cut += character;
  }
  return cut === '' ? 'note' : DEVICE.test(cut) ? `${cut}-` : cut;
}

/** Returns an address relative to a page of the site: `../Guide/First-steps.html`. */
export function relativeAddress(from: string, to: string): string {
  const [above, target] = [from.split('/').slice(0, -1), to.split('/')];
  let shared = 0;
  while (shared < above.length && shared < target.length - 1 && above[shared] === target[shared]) shared += 1;
  const parts = [...above.slice(shared).map(() => '..'), ...target.slice(shared).map(encodeURIComponent)];
  return parts.join('/');
}
