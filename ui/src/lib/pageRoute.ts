// Maps addresses to pages.

/** A page and its parameters. A new page needs a line here, one in `pages.ts`, and one in the server's table of pages. */
export type PageRoute =
  | { page: 'inbox'; question: string | undefined }
  | { page: 'agents'; agent: string | undefined }
  | { page: 'runs'; run: string | undefined }
  | { page: 'pipelines'; pipeline: string | undefined; run: string | undefined }
  | { page: 'rules' }
  | { page: 'audit' }
  | { page: 'settings'; section: string | undefined }
  | { page: 'nowhere' };

/** The route of a path. */
export function routeOf(pathname: string): PageRoute {
  const [first, second, third, ...more] = pathname.split('/').filter((part) => part !== '');
  const nowhere: PageRoute = { page: 'nowhere' };
  if (more.length > 0) return nowhere;
  if (first === 'pipelines' && second === 'runs') {
    return third === undefined ? nowhere : { page: 'pipelines', pipeline: undefined, run: third };
  }
  if (third !== undefined) return nowhere;
  switch (first) {
    case undefined:
      return { page: 'inbox', question: undefined };
    case 'approvals':
      return second === undefined ? nowhere : { page: 'inbox', question: second };
    case 'agents':
      return { page: 'agents', agent: second };
    case 'runs':
      return { page: 'runs', run: second };
    case 'pipelines':
      return { page: 'pipelines', pipeline: second, run: undefined };
    case 'rules':
    case 'audit':
      return second === undefined ? { page: first } : nowhere;
    case 'settings':
      return { page: 'settings', section: second };
    default:
      return nowhere;
  }
}
