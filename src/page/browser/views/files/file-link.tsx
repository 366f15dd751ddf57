import { addressOfFile } from '../../router.ts';

/** A link to the page of a file that is no note. */
export function FileLink({ path, label }: { readonly path: string; readonly label: string }) {
  return (
    <a href={addressOfFile(path)} dir="auto">
      {label}
    </a>
  );
}
