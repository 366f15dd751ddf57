const WEB_AUTHOR_SUFFIX = ' (page)';

/** Returns the name under which a person writes at the web page: `Anna (page)`. */
export function webAuthor(person: string): string {
  return `${person}${WEB_AUTHOR_SUFFIX}`;
}

/** Returns whether a name in the history belongs to a person at the web page. Their writes are not an agent's. */
export function isWebAuthor(agent: string): boolean {
  return agent.trim().endsWith(WEB_AUTHOR_SUFFIX);
}
