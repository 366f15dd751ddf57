/** CPU time of this process so far, in milliseconds: what others keep the machine busy with does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
