import type { FileSystem } from '../../src/store/folder/file-system.ts';

/** A file system with some calls changed, also where it is held. */
export function wrapFiles<Files extends FileSystem>(real: Files, change: (files: FileSystem) => Partial<FileSystem>): Files {
  return {
    ...real,
    ...change(real),
    hold() {
      const held = real.hold();
      return {
        ...held,
        ...change(held),
        hold: () => wrapFiles(held, change).hold(),
        findExchanged: (except) => held.findExchanged(except),
        release: () => held.release(),
      };
    },
  };
}
