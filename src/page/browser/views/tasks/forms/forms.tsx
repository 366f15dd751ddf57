import { useEffect } from 'preact/hooks';
import { openForm } from '../acts/open-form.ts';
import type { BoardTask } from '../board.ts';
import { BlockForm } from './block-form.tsx';
import { EditForm } from './edit-form.tsx';
import { NewProjectForm } from './new-project-form.tsx';
import { NewTaskForm } from './new-task-form.tsx';
import { ResolveForm } from './resolve-form.tsx';

/** Shows the open form. It stays open while the board below it changes. `project`: the folder of the shown project, `''` for none. */
export function Forms({ project, tasks }: { readonly project: string; readonly tasks: readonly BoardTask[] }) {
  const form = openForm.value;
  const id = form !== null && 'task' in form ? form.task.id : null;
  useEffect(
    () => () => {
      // The card may have moved to another column meanwhile, where it is another element.
      if (id !== null && document.activeElement === document.body)
        document.querySelector<HTMLElement>(`.board [data-task="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
    },
    [id],
  );
  if (form === null) return null;
  const onClose = (): void => void (openForm.value = null);
  switch (form.kind) {
    case 'resolve':
      return <ResolveForm key={form.task.id} task={form.task} onClose={onClose} />;
    case 'block':
      return <BlockForm key={form.task.id} task={form.task} onClose={onClose} />;
    case 'edit':
      return <EditForm key={form.task.id} task={form.task} onClose={onClose} />;
    case 'new-task':
      return <NewTaskForm project={project} parent={form.parent} tasks={tasks} onClose={onClose} />;
    case 'new-project':
      return <NewProjectForm onClose={onClose} />;
  }
}
