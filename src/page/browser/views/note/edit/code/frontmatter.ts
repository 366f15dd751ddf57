import type { markdown } from '@codemirror/lang-markdown';
import { tags } from '@lezer/highlight';

type MarkdownExtension = NonNullable<NonNullable<Parameters<typeof markdown>[0]>['extensions']>;

/** Reads the properties at the start of a note as one block. Markdown alone takes them for a heading. */
export const frontmatter: MarkdownExtension = {
  defineNodes: [{ name: 'Frontmatter', block: true, style: tags.meta }],
  parseBlock: [
    {
      name: 'Frontmatter',
      before: 'HorizontalRule',
      parse(context, line) {
        if (context.lineStart !== 0 || !/^---[ \t]*$/.test(line.text)) return false;
        let isClosed = false;
        while (!isClosed && context.nextLine()) isClosed = /^---[ \t]*$/.test(line.text);
        const end = context.lineStart + line.text.length;
        context.nextLine();
        context.addElement(context.elt('Frontmatter', 0, end));
        return true;
      },
    },
  ],
};
