import type { OperationContext } from '../../operation.ts';
import { draftProject } from '../graph-open.ts';
import { findProjectOfName, freeFolderFor, projectFolder } from '../view/find-task.ts';
import type { DraftTask, NewTask } from './draft-task.ts';
import type { Draft } from './draft.ts';
import { FileNames, MARK_CHARACTERS } from './file-names.ts';

/** Creates tasks that come from another program, all in one project. If there is none of that name, it is created with the first task. */
export class NewTasks {
  readonly #context: OperationContext;
  readonly #draft: Draft;
  readonly #project: string;
  readonly #names: FileNames;
  #root: DraftTask | null = null;

  constructor(context: OperationContext, draft: Draft, project: string) {
    this.#context = context;
    this.#draft = draft;
    this.#project = project;
    this.#names = new FileNames(draft.graph, context.config.filenames);
  }

  create(made: Pick<NewTask, 'id' | 'summary' | 'properties' | 'contextLinks'>): DraftTask {
    const root = (this.#root ??= this.#openProject());
    const { vault } = this.#context;
    const folder = projectFolder(vault, root.project);
    const mark = vault.settings.isInRepository() ? made.id.slice(-MARK_CHARACTERS) : null;
    const path = this.#names.choose(folder, made.summary, mark);
    return this.#draft.create(path, { ...made, type: 'task', folder: root.project, parent: root.path });
  }

  #openProject(): DraftTask {
    const { vault } = this.#context;
    const name = this.#project;
    const existing = findProjectOfName(vault, name);
    if (existing?.root !== null && existing !== null) return this.#draft.edit(existing.root);
    return draftProject(this.#context, this.#draft, { name, summary: name, folder: existing?.name ?? freeFolderFor(vault, name) });
  }
}
