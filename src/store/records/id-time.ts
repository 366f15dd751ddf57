const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns the time in a ULID in milliseconds; null when the text does not begin with a ULID. */
export function timeOfId(id: string): number | null {
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])/.test(id)) return null;
  let time = 0;
  for (const digit of id.slice(0, 10)) time = time * 32 + DIGITS.indexOf(digit);
  return time;
}
