import { useEffect, useRef } from 'preact/hooks';
import { fetchFile } from '../../api.ts';
import { releaseBlobs, showFileBlob } from '../../parts/media/blob-urls.ts';

/** Shows a picture of the vault as soon as it comes near the screen. It is fetched by script, because `src` cannot carry the token. */
export function VaultPicture(props: { readonly path: string; readonly label: string; readonly class?: string }) {
  const { path, label } = props;
  const element = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const image = element.current;
    if (image === null) return;
    const control = new AbortController();
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting !== true) return;
        observer.disconnect();
        fetchFile(path, control.signal).then(
          (blob) => showFileBlob(image, blob),
          () => {
            if (!control.signal.aborted) image.dataset['state'] = 'missing';
          },
        );
      },
      { rootMargin: '400px' },
    );
    observer.observe(image);
    return () => {
      control.abort();
      observer.disconnect();
      // The element is removed after this.
      queueMicrotask(releaseBlobs);
    };
  }, [path]);
  return <img ref={element} alt={label} class={props.class} />;
}
