const AT_PAGE = ' (page)';

/** The name under which a person writes at the web page: `Anna (page)`. */
export function nameAtPage(person: string): string {
  return `${person}${AT_PAGE}`;
}

/** Whether a name in the history is a person's at the web page: what they wrote is no agent's. */
export function isAtPage(agent: string): boolean {
  return agent.trim().endsWith(AT_PAGE);
}
