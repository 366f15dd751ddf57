import type { Options } from 'rehype-sanitize';
import { MATH_ATTRIBUTES, MATH_CLASSES, MATH_ELEMENTS } from './syntax/math.ts';

const CLASSES =
  'attachment block-note callout callout-abstract callout-body callout-bug callout-danger callout-example callout-failure callout-info callout-note callout-question callout-quote callout-success callout-tip callout-title callout-todo callout-warning contains-task-list diagram done embed embed-body embed-title embedded-file external file footnotes internal live-block math math-block math-source notice refused-link scroll tag task-list-item unresolved without-title';

/** Players have no `src`: the page fetches `dataFile`. */
const MEDIA: NonNullable<Options['attributes']>[string] = ['dataFile', 'ariaLabel', ['controls', true], ['dataStart', /^\d{1,6}$/]];

const ALIGN: [string, ...string[]] = ['align', 'left', 'right', 'center'];

/**
 * The allowlist for the HTML of notes: elements that format text, and links to the page itself and to `http`, `https` and `mailto`. Styles, event handlers and
 * unprefixed ids are removed.
 */
export const sanitizeSchema: Options = {
  tagNames: [
    ...'a abbr audio b blockquote br caption center cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr u ul var video wbr'.split(
      ' ',
    ),
    ...MATH_ELEMENTS,
  ],
  attributes: {
    '*': ['dir', 'lang', 'title', 'id', ['className', ...CLASSES.split(' ')]],
    a: [
      'href',
      'dataNote',
      'dataFile',
      ['dataPage', /^\d{1,6}$/],
      'dataFootnoteRef',
      'dataFootnoteBackref',
      'ariaLabel',
      'ariaDescribedBy',
      ['rel', 'noopener', 'noreferrer'],
      ['target', '_blank'],
      // An entry for an element replaces that of `*`, so the classes are repeated.
      ['className', ...CLASSES.split(' '), 'data-footnote-backref'],
    ],
    audio: MEDIA,
    code: [['className', /^language-[\w+#.-]{1,40}$/, 'math-source']],
    details: [['open', true]],
    div: [
      ALIGN,
      ['tabIndex', 0],
      ['role', 'region'],
      'ariaLabel',
      ['dataBlock', 'base', 'canvas', 'query'],
      'dataPath',
      'dataView',
      'dataContext',
    ],
    ...Object.fromEntries(['h1', 'h3', 'h4', 'h5', 'h6', 'p'].map((name) => [name, [ALIGN]])),
    h2: [ALIGN, ['className', 'sr-only']],
    img: ['dataFile', 'alt', ['width', /^\d{1,4}$/], ['height', /^\d{1,4}$/]],
    input: [
      ['disabled', true],
      ['type', 'checkbox'],
      ['checked', true],
      'ariaLabel',
      ['dataLine', /^\d{1,9}$/],
      ['dataMark', /^[\da-f]{12}$/],
    ],
    li: [['dataTask', /^.$/u]],
    ol: [['start', /^\d{1,6}$/]],
    pre: [['tabIndex', 0]],
    section: ['dataFootnotes', ['role', 'doc-endnotes']],
    td: [ALIGN, ['colSpan', /^\d{1,2}$/], ['rowSpan', /^\d{1,2}$/]],
    th: [ALIGN, ['colSpan', /^\d{1,2}$/], ['rowSpan', /^\d{1,2}$/]],
    video: [...MEDIA, ['width', /^\d{1,4}$/], ['height', /^\d{1,4}$/]],
    ...Object.fromEntries([...MATH_ELEMENTS].map((name) => [name, [...MATH_ATTRIBUTES, ['className', ...MATH_CLASSES]]])),
  },
  ancestors: {
    ...Object.fromEntries([...MATH_ELEMENTS].filter((name) => name !== 'math').map((name) => [name, ['math']])),
    caption: ['table'],
    tbody: ['table'],
    td: ['table'],
    tfoot: ['table'],
    th: ['table'],
    thead: ['table'],
    tr: ['table'],
  },
  // The prefix keeps ids of notes apart from those of the page.
  clobber: ['id', 'ariaDescribedBy'],
  clobberPrefix: 'note-',
  protocols: { href: ['http', 'https', 'mailto'] },
  required: { input: { type: 'checkbox', disabled: true } },
  strip: ['script', 'style'],
  allowComments: false,
  allowDoctypes: false,
};
