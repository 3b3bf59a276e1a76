// Who this browser is to the server, and how it came to be that.
import { type Schemas, SekishoError, client, onPageKey, pageKey } from './client';
import { type ErrorText, toastError, errorText } from './errors';

export type SignedInUser = Schemas['SessionBody'];
export type SessionState =
  | { state: 'looking' }
  /**
   * Nobody is signed in. `refused`: a link was tried, and this is why it was not taken. `before`: this browser was known
   * until it left, or until the server did not know it any more.
   */
  | { state: 'outside'; refused: ErrorText | undefined; before: 'left' | 'ended' | undefined }
  | { state: 'unreachable'; error: ErrorText }
  | { state: 'inside'; who: SignedInUser };

const RANK = { agent: 0, viewer: 1, approver: 2, admin: 3 } as const;

/** The secret of a link stands behind `#`, where no server sees it. It leaves the address bar before anything else happens. */
function takeLink(): string | undefined {
  const found = /^#link=(skl_[0-9a-f]{64})$/.exec(location.hash)?.[1];
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return found;
}

class Session {
  #standing: SessionState = $state.raw({ state: 'looking' });
  /** A link that nobody has seen yet: it was not refused, it did not arrive. */
  #link: string | undefined;
  #leaving = false;
  /** Who was inside in this tab, since it was loaded. */
  #somebody: string | undefined;

  get standing(): SessionState {
    return this.#standing;
  }

  /** Who is signed in; nothing while nobody is. */
  get who(): SignedInUser | undefined {
    return this.#standing.state === 'inside' ? this.#standing.who : undefined;
  }

  /** Whether whoever is signed in may do what this role may. */
  may(role: keyof typeof RANK): boolean {
    return this.who !== undefined && RANK[this.who.role] >= RANK[role];
  }

  /** Finds out who one is; by a link, if the address holds one or an earlier one did not arrive. */
  async start(): Promise<void> {
    const link = takeLink() ?? this.#link;
    this.#link = undefined;
    let error: unknown;
    if (link !== undefined) {
      try {
        pageKey.keep((await client.session.signIn({ link })).pageKey);
      } catch (caught) {
        error = caught;
        if (caught instanceof SekishoError && caught.passing) this.#link = link;
      }
    }
    await this.refresh(error);
  }

  /** Follows a link that somebody pasted. */
  async signInWithLink(link: string): Promise<void> {
    this.#link = link;
    await this.start();
  }

  /** Finds out who one is. `refusal`: why a link was not taken just now. */
  async refresh(refusal?: unknown): Promise<void> {
    const key = pageKey.get();
    if (key === null) {
      const unseen = refusal instanceof SekishoError && refusal.status === 0;
      this.#standing = unseen ? { state: 'unreachable', error: errorText(refusal) } : outside({ refusal });
      return;
    }
    try {
      const who = await client.session.show();
      const somebody = who.id ?? who.name;
      // What somebody else had open in this tab, questions and drafts, is none of whoever comes next.
      if (this.#somebody !== undefined && this.#somebody !== somebody) return location.reload();
      this.#somebody = somebody;
      this.#standing = { state: 'inside', who };
      // Whoever is known already needs no link, but should know that it did nothing.
      if (refusal !== undefined) toastError(refusal);
    } catch (error) {
      if (error instanceof SekishoError && error.status === 401) {
        pageKey.forget(key);
        this.#standing = outside({ refusal, before: 'ended' });
      } else this.#standing = { state: 'unreachable', error: errorText(error) };
    }
  }

  /** The server does not know this browser any more. */
  lost(before: 'left' | 'ended' = 'ended'): void {
    // Whoever leaves is cut off before the answer comes; that is not somebody else's doing.
    if (this.#standing.state === 'inside') this.#standing = outside({ before: this.#leaving ? 'left' : before });
  }

  /** Whether the server still knows this browser. Where it cannot be asked, that is no answer. */
  async check(): Promise<void> {
    if (this.#leaving) return;
    try {
      await client.session.show();
    } catch (error) {
      if (error instanceof SekishoError && error.status === 401) this.lost();
    }
  }

  async signOut(): Promise<void> {
    const key = pageKey.get();
    this.#leaving = true;
    try {
      await client.session.signOut();
    } catch (error) {
      if (!(error instanceof SekishoError && error.status === 401)) throw error;
    } finally {
      this.#leaving = false;
    }
    this.lost('left');
    pageKey.forget(key);
  }

  follow(): void {
    // A link opened while the page is open only changes what stands behind `#`.
    addEventListener('hashchange', () => {
      if (location.hash.startsWith('#link=')) void this.start();
    });
    // All tabs of a browser are one to the server: they come and go together.
    onPageKey((key) => {
      if (key === null) this.lost('left');
      else void this.refresh();
    });
  }
}

function outside(why: { refusal?: unknown; before?: 'left' | 'ended' }): SessionState {
  const refused = why.refusal === undefined ? undefined : errorText(why.refusal);
  return { state: 'outside', refused, before: why.before };
}

export const session = new Session();
