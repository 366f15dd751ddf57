/** One thing to choose. */
export interface Choice {
  /** What the command is given. */
  readonly value: string;
  readonly label: string;
  /** Where it is, in less striking letters. */
  readonly hint: string;
}
