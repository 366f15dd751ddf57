const HUES = 8;

/** Who did something: a name with a colour of its own, the same everywhere. */
export function Agent({ name }: { readonly name: string }) {
  return (
    <span class={`agent agent-${hueOf(name)}`}>
      <bdi>{agentLabel(name)}</bdi>
    </span>
  );
}

/** Names in the history that are no agents' own. */
function agentLabel(name: string): string {
  if (name === 'external') return 'edited by hand';
  return name === '' ? 'unknown' : name;
}

/** Which of the colours `--agent-0` … `--agent-7` a name has. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % HUES;
}
