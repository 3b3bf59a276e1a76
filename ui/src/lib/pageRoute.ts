// What an address names.

/** A room of the page. New rooms get a row here, one in `rooms.ts`, and one in the server's table of pages. */
export type Place =
  | { room: 'inbox'; question: string | undefined }
  | { room: 'rules' }
  | { room: 'audit' }
  | { room: 'settings'; section: string | undefined }
  | { room: 'nowhere' };

/** The place that an address names. */
export function placeOf(pathname: string): Place {
  const [first, second, ...more] = pathname.split('/').filter((part) => part !== '');
  const nowhere: Place = { room: 'nowhere' };
  if (more.length > 0) return nowhere;
  switch (first) {
    case undefined:
      return { room: 'inbox', question: undefined };
    case 'approvals':
      return second === undefined ? nowhere : { room: 'inbox', question: second };
    case 'rules':
    case 'audit':
      return second === undefined ? { room: first } : nowhere;
    case 'settings':
      return { room: 'settings', section: second };
    default:
      return nowhere;
  }
}
