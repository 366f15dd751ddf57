import type { ByteReader, ByteWriter } from './byte-stream.ts';
import { MEASURED_FIELDS } from './text-index.ts';
import type { MeasuredField } from './text-index.ts';

interface FieldLengths {
  of: Uint32Array;
  sum: number;
  documents: number;
}

/** The documents of a text index, numbered in order without reuse, with the lengths of their fields. */
export class DocumentTable {
  #keys = new Uint32Array(1024);
  #isThere = new Uint8Array(1024);
  /** Null after loading, until a document is removed or replaced. */
  #ids: Map<number, number> | null = new Map();
  #size = 0;
  readonly #fields: readonly FieldLengths[] = MEASURED_FIELDS.map(() => ({ of: new Uint32Array(1024), sum: 0, documents: 0 }));
  #end = 0;

  /** Number of documents. */
  get size(): number {
    return this.#size;
  }

  /** One more than the last number. */
  get end(): number {
    return this.#end;
  }

  /** Count of unused numbers of removed documents. */
  get removed(): number {
    return this.#end - this.#size;
  }

  has(id: number): boolean {
    return this.#isThere[id] === 1;
  }

  key(id: number): number {
    return this.#keys[id] ?? 0;
  }

  add(key: number): number {
    const id = this.#end;
    this.#end += 1;
    if (id >= this.#keys.length) this.#grow();
    this.#keys[id] = key;
    this.#isThere[id] = 1;
    this.#size += 1;
    this.#ids?.set(key, id);
    return id;
  }

  remove(key: number): void {
    const ids = (this.#ids ??= this.#idsByKey());
    const id = ids.get(key);
    if (id === undefined) return;
    for (const field of this.#fields.keys()) this.#setLength({ id, field, length: 0 });
    this.#isThere[id] = 0;
    this.#size -= 1;
    ids.delete(key);
  }

  #idsByKey(): Map<number, number> {
    const ids = new Map<number, number>();
    for (let id = 0; id < this.#end; id += 1) if (this.has(id)) ids.set(this.key(id), id);
    return ids;
  }

  /** Sets the field lengths of a document. */
  setLengths(id: number, lengths: Readonly<Record<MeasuredField, number>>): void {
    for (const [field, name] of MEASURED_FIELDS.entries()) this.#setLength({ id, field, length: lengths[name] });
  }

  /** Returns the lengths of a field, by its index in `MEASURED_FIELDS`, in every document. */
  lengths(field: number): Uint32Array | undefined {
    return this.#fields[field]?.of;
  }

  /** Returns the average over the documents that have the field. */
  averageLength(field: number): number {
    const lengths = this.#fields[field];
    return lengths === undefined || lengths.documents === 0 ? 0 : lengths.sum / lengths.documents;
  }

  /** Writes the documents. Returns the new number of each plus one; 0 for removed ones. */
  save(writer: ByteWriter): Uint32Array {
    const numbers = new Uint32Array(this.#end);
    let next = 0;
    writer.number(this.size);
    for (let id = 0; id < this.#end; id += 1) {
      if (!this.has(id)) continue;
      next += 1;
      numbers[id] = next;
      writer.number(this.key(id));
      for (const field of this.#fields.keys()) writer.number(this.lengths(field)?.[id] ?? 0);
    }
    return numbers;
  }

  static load(reader: ByteReader): DocumentTable {
    const table = new DocumentTable();
    table.#ids = null;
    for (let left = reader.number(); left > 0; left -= 1) {
      const id = table.add(reader.number());
      for (const field of MEASURED_FIELDS.keys()) table.#setLength({ id, field, length: reader.number() });
    }
    return table;
  }

  #setLength({ id, field, length }: { id: number; field: number; length: number }): void {
    const lengths = this.#fields[field];
    if (lengths === undefined) return;
    const before = lengths.of[id] ?? 0;
    lengths.of[id] = length;
    lengths.sum += length - before;
    lengths.documents += (length > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
  }

  #grow(): void {
    const size = this.#keys.length * 2;
    const keys = new Uint32Array(size);
    keys.set(this.#keys);
    this.#keys = keys;
    const isThere = new Uint8Array(size);
    isThere.set(this.#isThere);
    this.#isThere = isThere;
    for (const lengths of this.#fields) {
      const of = new Uint32Array(size);
      of.set(lengths.of);
      lengths.of = of;
    }
  }
}
