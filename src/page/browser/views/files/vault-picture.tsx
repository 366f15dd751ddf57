import { useEffect, useRef } from 'preact/hooks';
import { fetchFile } from '../../api.ts';
import { releaseBlobs, showFileBlob } from '../../parts/media/blob-urls.ts';
import { whenNear } from '../../parts/media/near-screen.ts';

/** Shows a picture of the vault as soon as it comes near the screen. It is fetched by script, because `src` cannot carry the token. */
export function VaultPicture(props: { readonly path: string; readonly label: string; readonly class?: string }) {
  const { path, label } = props;
  const element = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const image = element.current;
    if (image === null) return;
    const control = new AbortController();
    const load = async (): Promise<void> => {
      try {
        showFileBlob(image, await fetchFile(path, control.signal));
      } catch {
        if (!control.signal.aborted) image.dataset['state'] = 'missing';
      }
    };
    const stop = whenNear(image, () => void load(), '400px');
    return () => {
      control.abort();
      stop();
      // The element is removed after this.
      queueMicrotask(releaseBlobs);
    };
  }, [path]);
  return <img ref={element} alt={label} class={props.class} />;
}
