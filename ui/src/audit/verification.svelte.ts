// Verification of the audit log. It continues, and keeps its result, while other pages are open.
import { type Schemas, client } from '../lib/client';

export type VerificationState =
  | { state: 'idle' }
  | { state: 'running'; since: number }
  | { state: 'done'; found: Schemas['AuditVerified']; at: number }
  | { state: 'failed'; error: unknown };

class Verification {
  #now: VerificationState = $state.raw({ state: 'idle' });

  get now(): VerificationState {
    return this.#now;
  }

  async start(): Promise<void> {
    if (this.#now.state === 'running') return;
    this.#now = { state: 'running', since: Date.now() };
    try {
      const found = await client.audit.verify();
      this.#now = { state: 'done', found, at: Date.now() };
    } catch (error) {
      this.#now = { state: 'failed', error };
    }
  }

  forget(): void {
    if (this.#now.state !== 'running') this.#now = { state: 'idle' };
  }
}

export const verification = new Verification();
