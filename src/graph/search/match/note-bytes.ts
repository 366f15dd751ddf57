import { isAscii } from 'node:buffer';
import { decodeNote } from '../../../note/parse.ts';

const BOM = '\u00EF\u00BB\u00BF';

/** The bytes of a note, which are decoded only where that is needed. Valid only as long as the buffer is. */
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

  /** One character for each byte, without a BOM. ASCII in the text is the same here, and no other byte becomes ASCII. */
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
