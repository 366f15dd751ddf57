/** Calls a function once, when an element has come near the visible part of the page. Returns what stops that. */
export function whenNear(element: Element, onNear: () => void, rootMargin = '0px'): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      // A browser that was busy reports several states of the element at once, the oldest first.
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      onNear();
    },
    { rootMargin },
  );
  observer.observe(element);
  return () => observer.disconnect();
}
