/** A message of a conversation that is used as a query. */
export interface QueryMessage {
  readonly role_type: string;
  readonly role?: string | undefined;
  readonly content: string;
}

/** Builds the query of a conversation: `<role_type>(<role or empty>): <content>` and a line feed for each message (S3-15, Appendix A). */
export function composeQuery(messages: readonly QueryMessage[]): string {
  return messages.map(({ role_type: type, role = '', content }) => `${type}(${role}): ${content}\n`).join('');
}
