import * as fc from 'fast-check';

/** Texts of whatever means something to Markdown, YAML or a reader of lines. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        '`',
        '``',
        '"',
        '\\',
        ' ',
        '[',
        ']',
        '[[',
        ']]',
        '- ',
        '# ',
        '\n',
        '\r',
        '```',
        '<!--',
        '$$',
        '{',
        '}',
        ': ',
        '::',
        ' ^a',
        'x',
        '|',
        '\u2028',
        '\0',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
);
