import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusCard } from '../acts/focus-card.ts';
import { openForm } from '../acts/open-form.ts';
import type { OpenForm } from '../acts/open-form.ts';
import type { BoardTask } from '../board.ts';
import { BlockForm } from './block-form.tsx';
import { EditForm } from './edit-form.tsx';
import { NewProjectForm } from './new-project-form.tsx';
import { NewTaskForm } from './new-task-form.tsx';
import { ResolveForm } from './resolve-form.tsx';

/** Shows the open form. It stays open while the board below it changes. `project`: the folder of the shown project, `''` for none. */
export function Forms({ project, tasks }: { readonly project: string; readonly tasks: readonly BoardTask[] }) {
  const form = openForm.value;
  useReturnedFocus(form);
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

/** Gives the focus back to the card from which a form was opened, if that has moved to another column and is another element now. */
function useReturnedFocus(form: OpenForm | null): void {
  const opener = useRef<string | null>(null);
  const wasOpen = useRef(false);
  if (form !== null && !wasOpen.current) {
    const card = document.activeElement?.closest('.card, .task-row, .box')?.querySelector<HTMLElement>('[data-task]');
    opener.current = 'task' in form ? form.task.id : (card?.dataset['task'] ?? null);
  }
  wasOpen.current = form !== null;
  useLayoutEffect(() => {
    if (form !== null || opener.current === null || document.activeElement !== document.body) return;
    focusCard(opener.current);
    opener.current = null;
  }, [form]);
}
