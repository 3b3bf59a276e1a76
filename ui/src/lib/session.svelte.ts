// Session of this browser.
import { type Schemas, SekishoError, client, onPageKey, pageKey } from './client';
import { type ErrorText, toastError, errorText } from './errors';

export type SignedInUser = Schemas['SessionBody'];
export type SessionState =
  | { state: 'looking' }
  /**
   * Nobody is signed in. `refused`: why a sign-in link failed. `before`: this browser was signed in
   * until it signed out or its session ended.
   */
  | { state: 'outside'; refused: ErrorText | undefined; before: 'left' | 'ended' | undefined }
  | { state: 'unreachable'; error: ErrorText }
  | { state: 'inside'; who: SignedInUser };

const RANK = { agent: 0, viewer: 1, approver: 2, admin: 3 } as const;

/** The secret of a link is in the fragment, which no server sees. It is removed from the address bar first. */
function takeLink(): string | undefined {
  const found = /^#link=(skl_[0-9a-f]{64})$/.exec(location.hash)?.[1];
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return found;
}

class Session {
  #standing: SessionState = $state.raw({ state: 'looking' });
  /** A link that has not reached the server yet. */
  #link: string | undefined;
  #leaving = false;
  /** Who was signed in since this tab was loaded. */
  #somebody: string | undefined;

  get standing(): SessionState {
    return this.#standing;
  }

  /** Who is signed in, if anybody. */
  get who(): SignedInUser | undefined {
    return this.#standing.state === 'inside' ? this.#standing.who : undefined;
  }

  /** Whether the signed-in user has the rights of this role. */
  may(role: keyof typeof RANK): boolean {
    return this.who !== undefined && RANK[this.who.role] >= RANK[role];
  }

  /** Signs in with the link in the address, or with one that did not arrive earlier; then loads the session. */
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

  /** Signs in with a pasted link. */
  async signInWithLink(link: string): Promise<void> {
    this.#link = link;
    await this.start();
  }

  /** Loads the session. `refusal`: why a link just failed. */
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
      // Questions and drafts of the previous user must not stay in this tab.
      if (this.#somebody !== undefined && this.#somebody !== somebody) return location.reload();
      this.#somebody = somebody;
      this.#standing = { state: 'inside', who };
      // A signed-in user needs no link, but should know that it had no effect.
      if (refusal !== undefined) toastError(refusal);
    } catch (error) {
      if (error instanceof SekishoError && error.status === 401) {
        pageKey.forget(key);
        this.#standing = outside({ refusal, before: 'ended' });
      } else this.#standing = { state: 'unreachable', error: errorText(error) };
    }
  }

  /** The server no longer knows this browser. */
  lost(before: 'left' | 'ended' = 'ended'): void {
    // Signing out ends the stream before the response arrives; do not report that as an ended session.
    if (this.#standing.state === 'inside') this.#standing = outside({ before: this.#leaving ? 'left' : before });
  }

  /** Whether the session is still valid; unknown if the server cannot be reached. */
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
    // A link opened in this tab only changes the fragment.
    addEventListener('hashchange', () => {
      if (location.hash.startsWith('#link=')) void this.start();
    });
    // All tabs share one session: they sign in and out together.
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
