/** Formats a time in nanoseconds since 1970 as ISO 8601 UTC. */
export function isoTime(nanoseconds: bigint): string {
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString();
}
