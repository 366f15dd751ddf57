/** Elements, attributes and addresses that make an SVG picture run or fetch something, and what could hide them. */
const ACTIVE =
  /<\s*(?:[\w-]+:)?(?:script|foreignobject|iframe|embed|object|handler|listener|animate|set)|[\s"'/]on[a-z]+\s*=|javascript\s*:|vbscript\s*:|data\s*:\s*(?:text|application|image\/svg)|<!entity|<!doctype[^>]*\[|<\?xml-stylesheet|@import|xlink:href\s*=\s*["']\s*(?:https?:)?\/\/|\bhref\s*=\s*["']\s*(?:https?:)?\/\/|url\s*\(\s*["']?\s*(?:https?:)?\/\//i;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns whether an SVG picture runs nothing and fetches nothing, wherever it is opened: a static host serves it under its own address,
 * where no policy binds it. Strict: a picture of which this is not certain is refused.
 */
export function isPassiveSvg(bytes: Uint8Array): boolean {
  try {
    const text = decoder.decode(bytes);
    // References such as &#106; could spell what is looked for.
    return !/&#/.test(text) && !ACTIVE.test(text);
  } catch {
    // Another encoding.
    return false;
  }
}
