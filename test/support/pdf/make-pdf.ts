import { deflateSync } from 'node:zlib';

/** How a PDF of a test is made. */
interface PdfOptions {
  /** Its content streams are compressed, as nearly all programs write them. */
  readonly isCompressed?: boolean;
  /** It says that it needs a password. */
  readonly isEncrypted?: boolean;
}

/** A PDF with a text layer, a text of several lines a page, written by hand with a valid table of its objects. */
export function makePdf(pages: readonly string[], { isCompressed = false, isEncrypted = false }: PdfOptions = {}): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  const push = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  const object = (...body: readonly (string | Buffer)[]): void => {
    offsets.push(length);
    push(Buffer.from(`${offsets.length} 0 obj\n`));
    for (const part of body) push(Buffer.from(part));
    push(Buffer.from('\nendobj\n'));
  };
  const pageOf = (at: number): number => 4 + 2 * at;
  object('<</Type/Catalog/Pages 2 0 R>>');
  object(`<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, at) => `${pageOf(at)} 0 R`).join(' ')}]>>`);
  object('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  for (const [at, text] of pages.entries()) {
    object(`<</Type/Page/Parent 2 0 R/MediaBox[0 -200000 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents ${pageOf(at) + 1} 0 R>>`);
    const lines = text.split('\n').map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
    const content = Buffer.from(`BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(' ')} ET`, 'latin1');
    const stream = isCompressed ? deflateSync(content) : content;
    object(`<</Length ${stream.length}${isCompressed ? '/Filter/FlateDecode' : ''}>>stream\n`, stream, '\nendstream');
  }
  const key = 'ab'.repeat(32);
  if (isEncrypted) object(`<</Filter/Standard/V 2/R 3/Length 128/P -44/O<${key}>/U<${key}>>>`);
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const id = '[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]';
  const trailer = `<</Size ${offsets.length + 1}/Root 1 0 R${isEncrypted ? `/ID${id}/Encrypt ${offsets.length} 0 R` : ''}>>`;
  push(
    Buffer.from(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows.join('')}trailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}
