/** Characters that a terminal acts on or that reorder the text around them: control characters, separators, direction marks. */
const ACTING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** What ASCII has of them. */
const CONTROLS = /\p{Cc}/gu;

/**
 * Characters that a terminal does not show at all, where no script and no emoji needs them. Needed are: blanks without width between words
 * of scripts that have no spaces; joiners beside letters that are joined, as in Persian and Hindi, and between the parts of an emoji;
 * variation selectors after signs and ideographs; tags of flags.
 */
const hidden = (): readonly RegExp[] => [
  /[\u180e\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]/u,
  /\u200b(?<![\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]\u200b)/u,
  /[\u200c\u200d](?<=[\u200b-\u200d].)/u,
  /\u200c(?<![\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]\u200c)(?![\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}])/u,
  /\u200d(?<![\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]\u200d)(?![\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}])(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]\u200d)\p{Extended_Pictographic})/u,
  /[\ufe00-\ufe0f](?<![\p{S}\p{P}\p{N}\p{Emoji}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}].)/u,
  /[\u180b-\u180d\u180f](?<!\p{Script=Mongolian}.)/u,
  /[\u{e0100}-\u{e01ef}](?<!\p{Script=Han}.)/u,
  /[\u{e0000}-\u{e007f}](?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8})(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f})/u,
  /[\u{e0020}-\u{e007e}](?![\u{e0020}-\u{e007e}]{0,7}\u{e007f})/u,
];

let invisible: RegExp | null = null;

/** Finds all characters of a text that nobody would see as what they are. */
function invisibleIn(text: string): RegExp {
  // What finds the others takes V8 a twentieth of a start to make, and hardly any text needs it.
  if (/^\p{ASCII}*$/u.test(text)) return CONTROLS;
  return (invisible ??= new RegExp([ACTING, ...hidden()].map(({ source }) => source).join('|'), 'gu'));
}

/** Whether nothing in a text is invisible. */
export function isVisible(text: string): boolean {
  return text.search(invisibleIn(text)) < 0;
}

/** Replaces all characters of a text that nobody would see as what they are. */
export function replaceInvisible(text: string, by: (character: string) => string): string {
  return text.replace(invisibleIn(text), by);
}

/** Escapes a text for a terminal, such as `\x1b` for an escape character. Line ends and tabs are preserved. */
export function visible(text: string): string {
  return replaceInvisible(text.replaceAll('\r\n', '\n'), (character) =>
    character === '\n' || character === '\t' ? character : escape(character),
  );
}

/** Escapes a text that has to stay on one line, such as a title or an argument. */
export function visibleLine(text: string): string {
  return replaceInvisible(text, escape);
}

/** Formats a value as JSON, also escaping characters that are valid in JSON but that nobody sees. */
export function visibleJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value));
}

/** Escapes JSON or TOML of several lines in the way in which strings in it are escaped. */
export function escapeInvisible(text: string): string {
  return replaceInvisible(text, (character) =>
    character === '\n' ? character : Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(''),
  );
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${hex(code, 2)}` : code > 0xffff ? `\\u{${hex(code, 5)}}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
