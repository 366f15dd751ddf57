import type { GraphView } from '../../../graph/view.ts';
import type { RenameContext } from '../../../vault/links/rename.ts';
import type { OperationContext } from '../../operation.ts';
import { timeOf } from '../../write-meta.ts';

/** What planning a rename or a move needs, from the vault that is written. */
export function moveContext({ vault, config }: OperationContext, graph: GraphView): RenameContext {
  return {
    graph,
    readText: (path) => {
      const bytes = vault.readAttachment(path);
      return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    },
    style: vault.linkStyle(),
    at: timeOf({ vault }),
    filenames: config.filenames,
    renameAlias: config.renameAlias,
  };
}
