// Which rows are in view: only these follow the clock.
const tellers = new WeakMap<Element, (near: boolean) => void>();
let observer: IntersectionObserver | undefined;

/** Reports whether an element is in view, now and on every change. For `{@attach}`. */
export function inView(tell: (near: boolean) => void): (element: Element) => () => void {
  return (element) => {
    observer ??= new IntersectionObserver((entries) => {
      for (const entry of entries) tellers.get(entry.target)?.(entry.isIntersecting);
    });
    tellers.set(element, tell);
    observer.observe(element);
    return () => {
      observer?.unobserve(element);
      tellers.delete(element);
    };
  };
}
