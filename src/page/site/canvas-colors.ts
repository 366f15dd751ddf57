/** Returns the class of a preset color, `1` to `6`. */
export function colorClass(color: string | undefined): string {
  return color !== undefined && /^[1-6]$/.test(color) ? `canvas-color-${color}` : '';
}

/** Returns the style of a color that is no preset. It is set by script, since the page's policy allows no style attributes. */
export function colorStyle(color: string | undefined): Record<string, string> {
  return color?.startsWith('#') === true ? { '--canvas-color': color } : {};
}
