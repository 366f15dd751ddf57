/** A message as a query is made of it. */
export interface QueryMessage {
  readonly role_type: string;
  readonly role?: string | undefined;
  readonly content: string;
}

/** The query of a conversation, to the byte: `<role_type>(<role or empty>): <content>` and a line feed for each message (S3-15, Appendix A). */
export function composeQuery(messages: readonly QueryMessage[]): string {
  return messages.map(({ role_type: type, role = '', content }) => `${type}(${role}): ${content}\n`).join('');
}
