import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { address, onPathChange } from '../router.ts';
import { findView } from '../views/views.ts';
import type { View, ViewComponent } from '../views/view.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { NothingHere } from './nothing-here.tsx';

const loaded = new Map<View, ViewComponent>();

/** Shows the view of the current address. Views are loaded when they are first opened. */
export function CurrentView() {
  const here = address.value;
  const view = findView(here.path);
  const [, setLoaded] = useState(0);
  const [failed, setFailed] = useState<View | null>(null);

  useEffect(() => {
    if (view === null || loaded.has(view)) return;
    view.load().then(
      (component) => {
        loaded.set(view, component);
        setLoaded((count) => count + 1);
      },
      () => setFailed(view),
    );
  }, [view]);

  // Moving the focus announces the new page to screen readers, and Tab continues from its beginning.
  useEffect(
    () =>
      onPathChange(() => {
        if (document.activeElement instanceof HTMLInputElement) return;
        document.getElementById('main')?.focus({ preventScroll: true });
      }),
    [],
  );

  if (view === null) {
    return <NothingHere path={here.path} />;
  }
  const Shown = loaded.get(view);
  if (Shown === undefined && failed === view) {
    return (
      <Empty title="This view could not be loaded">
        The server may have been updated since the page was opened.{' '}
        <a href={location.href} target="_self">
          Load the page again
        </a>
      </Empty>
    );
  }
  if (Shown === undefined) return <Loading what={view.title} />;
  return (
    <Boundary key={view.name}>
      <Shown address={here} />
    </Boundary>
  );
}

/** Shows an error in place of a view that throws. The rest of the page keeps working. */
class Boundary extends Component<{ children?: ComponentChildren }, { error: Error | null }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    console.error(error);
    return <Failure error={error} reload={() => this.setState({ error: null })} />;
  }
}
