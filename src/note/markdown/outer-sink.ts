import type { Heading, Span } from '../note.ts';
import type { Container } from './containers.ts';

/** What a line is: text, and neither code, HTML or math nor their fences; and whether one of these, or a paragraph, is open at its end. */
export interface LineState {
  readonly isText: boolean;
  readonly isInLeaf: boolean;
}

/** Is told of the blocks that stand in no other one, as they are read. */
export interface OuterSink {
  heading(heading: Heading): void;
  paragraph(span: Span): void;
  /** A line, with the outermost quote or item that is open at its end, and what it is. */
  line(span: Span, outer: Container | undefined, state: LineState): void;
}
