const ELEMENTS = new Set(
  'a abbr audio b blockquote br caption center cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr u ul var video wbr math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none'.split(
    ' ',
  ),
);
const ATTRIBUTES =
  /^(?:accent|accentunder|align|alt|alttext|aria-(?:describedby|label)|checked|class|controls|colspan|column(?:align|lines|spacing|span)|data-(?:note|file|block|path|view|context|footnote-ref|footnote-backref|footnotes|line|mark|page|start|task)|depth|dir|disabled|display|displaystyle|fence|form|height|href|id|lang|largeop|linethickness|lspace|math(?:background|color|variant)|maxsize|minsize|movablelimits|open|rel|role|row(?:align|lines|spacing|span)|rspace|scriptlevel|separator|start|stretchy|symmetric|tabindex|target|title|type|voffset|width)$/;
const CLASSES =
  /^(?:block-note|live-block|callout(?:-[a-z]+)?|contains-task-list|data-footnote-backref|diagram|done|embed(?:-body|-title)?|embedded-file|external|file|footnotes|hljs(?:-[\w-]+)?|[a-z_]+_|function_|internal|language-[\w+#.-]{1,40}|math(?:-[a-z-]+)?|(?:chr|tml)-[a-z0-9-]+|actuarial|circle-pad|downstrike|longdiv-(?:arc|top)|mathscr|phasor-(?:angle|bottom)|sout|textcircle|upstrike|notice|refused-link|scroll|sr-only|tag|task-list-item|unresolved)$/;
const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s[a-z-]+(?:="[^"]*")?)*)>/gy;

/** What in HTML is not of the short list of what a note may become; written apart from the sanitiser, to find its gaps. */
export function dangersIn(html: string): readonly string[] {
  const dangers: string[] = [];
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    TAG.lastIndex = at;
    const match = TAG.exec(html);
    if (match === null) return [...dangers, `no tag: ${html.slice(at, at + 80)}`];
    const [whole, , name = '', attributes = ''] = match;
    if (!ELEMENTS.has(name)) dangers.push(`element: ${whole}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)) {
      if (!ATTRIBUTES.test(attribute)) dangers.push(`attribute: ${whole}`);
      if (attribute === 'href' && !/^(?:https?:\/\/|https?:|mailto:|\/note\/|\/search\?q=|\/api\/file\/|\/tag\/|#)/i.test(value))
        dangers.push(`address: ${whole}`);
      if (attribute === 'id' && !value.startsWith('note-')) dangers.push(`id: ${whole}`);
      if (attribute === 'class' && value !== '' && value.split(' ').some((one) => !CLASSES.test(one))) dangers.push(`class: ${whole}`);
      if (attribute === 'href' && value.startsWith('/') && /(?:^|\/)\.\.?(?:\/|$)|\/\//.test(value.split('?')[0] ?? ''))
        dangers.push(`way out: ${whole}`);
    }
    at += whole.length;
  }
  return dangers;
}
