import { isAscii } from 'node:buffer';
import { decodeNote } from '../../../note/parse.ts';

const BOM = '\u00EF\u00BB\u00BF';

/** The bytes of a note, which are decoded only where that is needed: they are valid for a moment, and so is this. */
export class NoteBytes {
  readonly #bytes: Buffer;
  #isAscii: boolean | undefined;
  #view: string | undefined;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAscii(): boolean {
    return (this.#isAscii ??= isAscii(this.#bytes));
  }

  /** A character for each byte, without a BOM: what is ASCII in the text stands in it as it is, and nothing else is ASCII. */
  get view(): string {
    if (this.#view === undefined) {
      const all = this.#bytes.toString('latin1');
      this.#view = all.startsWith(BOM) ? all.slice(BOM.length) : all;
    }
    return this.#view;
  }

  get text(): string {
    return (this.#text ??= this.isAscii ? this.view : decodeNote(this.#bytes).text);
  }
}
