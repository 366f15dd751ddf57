/** A passage that somebody said or a program returned, as a callout of Obsidian: a quote, which nothing in it can leave. */
export interface Callout {
  /** One word, which names its look. */
  readonly type: string;
  /** Of our own making, or quiet. */
  readonly title: string;
  readonly body: string;
  /** It is shown closed. */
  readonly isFolded?: boolean;
}

export function formatCallout({ type, title, body, isFolded = false }: Callout): string {
  const head = `> [!${type}]${isFolded ? '-' : ''} ${title}`;
  return body === '' ? head : `${head}\n${body.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>')}`;
}
