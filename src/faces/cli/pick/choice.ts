/** An item to choose from. */
export interface Choice {
  /** The argument for the command. */
  readonly value: string;
  readonly label: string;
  /** Where it is, shown dimmed. */
  readonly hint: string;
}
