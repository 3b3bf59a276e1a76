// Who this browser is to the server, and how it came to be that.
import { type Schemas, SekishoError, client, pageKey } from './client';
import { type Trouble, troubleOf } from './problem';

export type Who = Schemas['SessionBody'];
export type Standing =
  | { state: 'looking' }
  /** Nobody is signed in. `refused`: a link was tried, and this is why it was not taken. */
  | { state: 'outside'; refused: Trouble | undefined }
  | { state: 'unreachable'; trouble: Trouble }
  | { state: 'inside'; who: Who };

const RANK = { agent: 0, viewer: 1, approver: 2, admin: 3 } as const;

/** The secret of a link stands behind `#`, where no server sees it. It leaves the address bar before anything else happens. */
function takeLink(): string | undefined {
  const found = /^#link=(skl_[0-9a-f]{64})$/.exec(location.hash)?.[1];
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return found;
}

class Session {
  #standing: Standing = $state.raw({ state: 'looking' });

  get standing(): Standing {
    return this.#standing;
  }

  /** Who is signed in; nothing while nobody is. */
  get who(): Who | undefined {
    return this.#standing.state === 'inside' ? this.#standing.who : undefined;
  }

  /** Whether whoever is signed in may do what this role may. */
  may(role: keyof typeof RANK): boolean {
    return this.who !== undefined && RANK[this.who.role] >= RANK[role];
  }

  /** Finds out who one is; by a link, if the address holds one. */
  async begin(): Promise<void> {
    const link = takeLink();
    let refused: Trouble | undefined;
    if (link !== undefined) {
      try {
        pageKey.keep((await client.session.signIn({ link })).pageKey);
      } catch (error) {
        refused = troubleOf(error);
      }
    }
    await this.look(refused);
  }

  async look(refused?: Trouble): Promise<void> {
    const key = pageKey.get();
    try {
      this.#standing = { state: 'inside', who: await client.session.show() };
    } catch (error) {
      if (error instanceof SekishoError && error.status === 401) {
        pageKey.forget(key);
        this.#standing = { state: 'outside', refused };
      } else this.#standing = { state: 'unreachable', trouble: troubleOf(error) };
    }
  }

  /** The server does not know this browser any more. */
  lost(): void {
    this.#standing = { state: 'outside', refused: undefined };
  }

  async leave(): Promise<void> {
    const key = pageKey.get();
    try {
      await client.session.signOut();
    } catch (error) {
      if (!(error instanceof SekishoError && error.status === 401)) throw error;
    }
    pageKey.forget(key);
    this.lost();
  }

  follow(): void {
    // A link opened while the page is open only changes what stands behind `#`.
    addEventListener('hashchange', () => {
      if (location.hash.startsWith('#link=')) void this.begin();
    });
  }
}

export const session = new Session();
