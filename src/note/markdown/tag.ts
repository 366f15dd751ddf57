/** Returns the end of the tag whose `#` is at `hash`; -1 when there is none. The caller checks what precedes the `#`. */
export function tagEnd(text: string, hash: number, end: number): number {
  let at = hash + 1;
  let isName = false;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (!isTagUnit(code)) break;
    // A tag needs more than digits (`#1984`) and slashes.
    if (code > 0x39 || code < 0x2f) isName = true;
  }
  return isName ? at : -1;
}

/** Returns why Obsidian does not accept a name (without `#`) as a tag; null when it does. */
export function checkTag(name: string): string | null {
  if (name === '') return 'it is empty';
  const refused = Array.from(name).find((character) => !isTagUnit(character.charCodeAt(0)));
  if (refused !== undefined) return `tags cannot hold ${/\s/u.test(refused) ? 'spaces' : `"${refused}"`}`;
  if (name.split('/').includes('')) return 'a part between slashes is empty';
  return tagEnd(`#${name}`, 0, name.length + 1) === -1 ? 'it needs something besides digits' : null;
}

/**
 * Returns the tag for a name on one line: without the characters that a tag cannot hold, with `prefix` before one of digits alone. Null for a
 * name without any other.
 */
export function toTag(name: string, prefix: string): string | null {
  const units = Array.from(name, (character) => (checkTag(`x${character}`) === null || character === '/' ? character : '-'));
  const tag = units
    .join('')
    .replace(/-{2,}/g, '-')
    .replace(/\/{2,}/g, '/')
    .replace(/^[-/]|[-/]$/g, '');
  const named = /^[\d/]+$/.test(tag) ? `${prefix}-${tag}` : tag;
  return checkTag(named) === null ? named : null;
}

/** Returns whether an underscore in a tag may be Markdown emphasis, which only a full parser can decide. */
export function mayHoldEmphasis(tag: string): boolean {
  return tag.includes('_') && !/^(?:[^_]|(?<=[\p{L}\p{N}])_+(?=[\p{L}\p{N}]))*$/u.test(tag);
}

/** ASCII characters that end a tag, by code. */
const endsTag = Array.from(
  { length: 128 },
  (_, code) => code <= 0x20 || code === 0x7f || '\'!"#$%&()*+,.:;<=>?@^`{|}~[]\\'.includes(String.fromCharCode(code)),
);

function isTagUnit(code: number): boolean {
  if (code < 128) return !endsTag[code];
  return !(
    (code >= 0x2000 && code <= 0x206f) ||
    (code >= 0x2e00 && code <= 0x2e7f) ||
    code === 0xa0 ||
    code === 0x85 ||
    code === 0x1680 ||
    code === 0x3000 ||
    code === 0xfeff
  );
}
