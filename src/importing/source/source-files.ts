/** A file of an export, wherever it is kept: in a folder, in a zip, or in a zip inside of one. */
export interface SourceFile {
  /** From the top of the export, with `/`. Names of an export lead nowhere: it is only what links in the export are compared with. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Returns a text that is equal for equal contents: the CRC-32 and the size. */
  stamp(): Promise<string>;
  /** Streams the content. Throws `IO_ERROR` for what cannot be read, and why (`faultOf`). */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Something of an export that is not taken over, and why, as a clause without a full stop. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** The files of an export. */
export interface SourceFiles {
  /** As the user named it. */
  readonly name: string;
  /** By path. */
  readonly files: readonly SourceFile[];
  readonly left: readonly LeftOut[];
  /** Closes archives and removes what was unpacked for reading. */
  close(): Promise<void>;
}
