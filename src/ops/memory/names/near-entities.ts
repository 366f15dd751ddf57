import type { Vault } from '../../../vault/vault.ts';
import { NamedNotes } from '../../names/named-notes.ts';
import { MAX_NEAREST, warnOfUnknown } from '../../names/near-names.ts';
import type { NearName } from '../../names/near-names.ts';
import type { OperationContext } from '../../operation.ts';
import { memoryOf } from '../memory-index.ts';

/** Returns the entities whose names or aliases are nearest to a name. */
export function nearestEntities(vault: Vault, name: string): readonly NearName[] {
  const index = memoryOf(vault);
  index.refresh();
  return vault
    .derived(createEntityNames)
    .search(name, MAX_NEAREST)
    .flatMap(({ path }) => index.at(path) ?? [])
    .map((entity) => ({ name: entity.name }));
}

/** Warns about names of no entity, with the nearest entities. */
export function warnOfMissingEntities(context: Pick<OperationContext, 'vault' | 'warn'>, names: readonly string[]): void {
  const index = memoryOf(context.vault);
  const missing = names.filter((name) => index.find(name) === null && index.placeholder(name) === null);
  warnOfUnknown(context, missing, (name) => ({ what: 'entity', name, nearest: nearestEntities(context.vault, name) }));
}

function createEntityNames(vault: Vault): NamedNotes {
  return new NamedNotes({
    vault,
    all: () => vault.graph.entries({ under: vault.settings.config.memory.root }),
    names({ path }) {
      const entity = memoryOf(vault).at(path);
      return entity === null || entity.isPlaceholder ? [] : [entity.name, ...entity.aliases];
    },
  });
}
