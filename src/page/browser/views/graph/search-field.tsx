import { useEffect, useState } from 'preact/hooks';

/** Finds notes in the graph. `best`: the first match, null if there is none, undefined while that is not known: Enter waits for it. */
export function SearchField(props: {
  readonly query: string;
  readonly best: number | null | undefined;
  readonly onInput: (query: string) => void;
  readonly onEnter: (index: number) => void;
}) {
  const { query, best } = props;
  const [awaited, setAwaited] = useState<string | null>(null);
  useEffect(() => {
    if (awaited === null || (awaited === query && best === undefined)) return;
    setAwaited(null);
    if (awaited === query && best !== null && best !== undefined) props.onEnter(best);
  });
  return (
    <input
      type="search"
      data-main
      aria-label="Find in the graph"
      placeholder="Find in the graph"
      value={query}
      onInput={(event) => props.onInput(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') setAwaited(query);
      }}
    />
  );
}
