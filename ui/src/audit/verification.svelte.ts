// Verification of the audit log. It continues, and keeps its result, while other pages are open.
import { type Schemas, client } from '../lib/client';

export interface Checked {
  found: Schemas['AuditVerified'];
  at: number;
}
export type VerificationState =
  | { state: 'idle' }
  | { state: 'running'; since: number }
  | ({ state: 'done' } & Checked)
  | { state: 'failed'; error: unknown };

class Verification {
  #now: VerificationState = $state.raw({ state: 'idle' });
  #last: Checked | undefined = $state.raw();

  get now(): VerificationState {
    return this.#now;
  }

  /** The last result of this tab, also after its details were dismissed. */
  get last(): Checked | undefined {
    return this.#last;
  }

  async start(): Promise<void> {
    if (this.#now.state === 'running') return;
    this.#now = { state: 'running', since: Date.now() };
    try {
      const found = await client.audit.verify();
      this.#last = { found, at: Date.now() };
      this.#now = { state: 'done', ...this.#last };
    } catch (error) {
      // An earlier result says nothing about the log as it is now.
      this.#last = undefined;
      this.#now = { state: 'failed', error };
    }
  }

  forget(): void {
    if (this.#now.state !== 'running') this.#now = { state: 'idle' };
  }
}

export const verification = new Verification();
