/** Returns the day of a time in the zone of this machine, `YYYY-MM-DD`. `ms`: milliseconds since 1970 UTC. */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  const pad = (part: number, length: number): string => String(part).padStart(length, '0');
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`;
}
