/** A vault-relative POSIX path that ends in `.md`, in the form it has on disk. Made by `toNotePath` only. */
export type NotePath = string & { readonly __notePath: true };

/** Whether a vault-relative path names a note. */
export function isNotePath(path: string): path is NotePath {
  return /\.md$/i.test(path);
}
