/** What the model is told where a command cannot be carried out, in the words of the tool's documentation. Nothing was written. */
export class MemoryFault extends Error {}

/** The answer to a command, as the content of a tool result. */
export interface MemoryAnswer {
  readonly content: string;
  readonly is_error: boolean;
  /** Of a command that wrote, for undo. */
  readonly batch?: string;
}

/** Answers with what a command returns, or with its fault. */
export async function answer(run: () => Promise<MemoryAnswer>): Promise<MemoryAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof MemoryFault) return { content: error.message, is_error: true };
    throw error;
  }
}
