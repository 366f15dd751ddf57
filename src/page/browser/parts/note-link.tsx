import type { ComponentChildren } from 'preact';
import { noteAddress } from '../router.ts';

/** A link to a note, with a preview on hover and focus. The label defaults to the title, then to the file name. */
export function NoteLink(props: {
  readonly path: string;
  readonly title?: string | undefined;
  readonly heading?: string;
  readonly class?: string;
  readonly children?: ComponentChildren;
}) {
  const { path, title, heading = '', children } = props;
  return (
    <a class={props.class} href={noteAddress(path, heading)} data-note={path} dir="auto">
      {children ?? title ?? path.replace(/^.*\//, '').replace(/\.md$/, '')}
    </a>
  );
}

/** A link to a note that can be created where it leads. */
export function UnresolvedLink({ target, children }: { readonly target: string; readonly children: ComponentChildren }) {
  return (
    <a class="unresolved" href={noteAddress(target)} title="No note has this name yet" dir="auto">
      {children}
    </a>
  );
}
