/** A link text split into path and subpath (from the first `#`; `''` for none). */
export interface LinkText {
  readonly linkpath: string;
  readonly subpath: string;
}

const externalStart = /^(?:[A-Za-z][A-Za-z0-9+.-]+:|\/\/|\\\\)/;

/** Splits a link text at its first `#`. */
export function splitLinkText(link: string): LinkText {
  const hash = link.indexOf('#');
  return hash === -1 ? { linkpath: link.trim(), subpath: '' } : { linkpath: link.slice(0, hash).trim(), subpath: link.slice(hash) };
}

/** Returns the label of a link without an alias: `Note > Heading`. */
export function linkLabel(link: string): string {
  const { linkpath, subpath } = splitLinkText(link);
  const name = linkpath.replace(/^.*\//, '').replace(/\.md$/i, '');
  return [name, ...subpath.split('#').slice(1)].filter((part) => part !== '').join(' > ');
}

/** Returns whether a link can express this path, which has no character with another meaning in links. */
export function isLinkable(path: string): boolean {
  return !/[#|^[\]]|%%/.test(path);
}

/** Encodes a link text as a Markdown destination, percent-encoding only what would have another meaning (docs/links.md, Markdown links). */
export function encodeDestination(link: string, isAngled: boolean): string {
  const always = isAngled ? /[<>\n\r\\%]|&(?=#?\w+;)/g : /[\s\\<>%\p{Cc}]|&(?=#?\w+;)/gu;
  const encoded = link.replace(always, (character) => encodeURIComponent(character));
  return isAngled || hasBalancedParentheses(encoded)
    ? encoded
    : encoded.replace(/[()]/g, (character) => (character === '(' ? '%28' : '%29'));
}

/** Decodes a destination to a link text, percent-decoding if possible. Null for external targets (`https:`, `//host`). */
export function decodeDestination(destination: string): string | null {
  if (destination === '' || externalStart.test(destination)) return null;
  if (!destination.includes('%')) return destination;
  try {
    return decodeURIComponent(destination);
  } catch {
    return destination;
  }
}

function hasBalancedParentheses(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth < 0 || depth > 32) return false;
  }
  return depth === 0;
}
