const HUES = 8;

/** The name of an agent, in a color derived from the name. */
export function Agent({ name }: { readonly name: string }) {
  return (
    <span class={`agent agent-${hueOf(name)}`}>
      <bdi>{agentLabel(name)}</bdi>
    </span>
  );
}

/** Names of the history that are not an agent's. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['external', 'By hand'],
  ['cli', 'Command line'],
  ['', 'Unknown'],
]);

/** Returns what to show for a name of the history. */
export function agentLabel(name: string): string {
  return LABELS.get(name) ?? name;
}

/** Returns which of the colors `--agent-0` … `--agent-7` a name has. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % HUES;
}
