// Addresses. Every view has one, filters included, so that it can be bookmarked, shared and gone back to.

import { type PageRoute, routeOf } from './pageRoute';

export type { PageRoute } from './pageRoute';

class Router {
  #url: URL = $state.raw(new URL(location.href));

  get path(): string {
    return this.#url.pathname;
  }

  get query(): URLSearchParams {
    return this.#url.searchParams;
  }

  place: PageRoute = $derived(routeOf(this.#url.pathname));

  /** Navigates; `replace` replaces the history entry. */
  go(href: string, how: { replace?: boolean } = {}): void {
    const url = new URL(href, location.href);
    if (url.href === location.href) return;
    if (how.replace === true) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    this.#url = url;
  }

  /** Changes the query only; undefined and empty values are removed. */
  refine(change: Record<string, string | undefined>, how: { replace?: boolean } = { replace: true }): void {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined || value === '') url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    this.go(url.href, how);
  }

  /** Follows the browser's history, and handles clicks on internal links. */
  follow(): void {
    addEventListener('popstate', () => (this.#url = new URL(location.href)));
    document.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null || event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      if (link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
      if (link.pathname.startsWith('/api/') || link.hash !== '') return;
      event.preventDefault();
      this.go(link.href);
    });
  }
}

export const router = new Router();
