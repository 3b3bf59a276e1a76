// Announces new questions on every page: to screen readers, by a sound, by a browser notification.
import { chime } from '../lib/chime';
import { type Schemas, client } from '../lib/client';
import { type Question, live } from '../lib/live.svelte';
import { prefs } from '../lib/prefs.svelte';
import { router } from '../lib/router.svelte';
import { visible } from '../lib/hiddenCharacters';
import { questionHref } from './questionHref';
import { lineText } from './questionSummary';
import { disturbs } from './quiet';
import { t } from './text';

/** Above this number, one notification gives the count. */
const MOST = 3;
/** Questions that come within this time are announced together. */
const GATHER_MS = 250;
const WISHES_LAST_MS = 60_000;

class QuestionAlerts {
  #said = $state('');
  #gathered: Question[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wishes: { at: number; told: Schemas['Notifications'] | undefined } | undefined;
  readonly #notices = new Map<string, Notification>();

  /** Text for screen readers. */
  get said(): string {
    return this.#said;
  }

  start(): () => void {
    const offs = [
      live.onOpened((question) => {
        this.#gathered.push(question);
        this.#timer ??= setTimeout(() => void this.#tell(), GATHER_MS);
      }),
      live.onEnded(({ id }) => this.#close(id)),
    ];
    return () => {
      for (const off of offs) off();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      for (const id of this.#notices.keys()) this.#close(id);
    };
  }

  async #tell(): Promise<void> {
    const came = this.#gathered;
    this.#gathered = [];
    this.#timer = undefined;
    const [first] = came;
    if (first === undefined) return;
    this.#said = came.length === 1 ? t.newQuestion(summary(first)) : t.newQuestions(came.length);
    if (!prefs.now.sound && !prefs.now.desktop) return;
    const wanted = await this.#wanted();
    const disturbing = came.filter((question) => disturbs(question.shown.danger.level, wanted, Date.now()));
    if (disturbing.length === 0) return;
    if (prefs.now.sound) void chime(disturbing.some((question) => question.shown.danger.level === 'danger'));
    if (prefs.now.desktop && document.visibilityState === 'hidden') for (const question of disturbing) this.#notify(question);
  }

  /** Notification settings of this user, fetched at most once a minute. */
  async #wanted(): Promise<Schemas['Notifications'] | undefined> {
    if (this.#wishes === undefined || Date.now() - this.#wishes.at > WISHES_LAST_MS) {
      // If the settings are unknown, notify.
      const told = await client.notifications.show().catch(() => undefined);
      this.#wishes = { at: Date.now(), told };
    }
    return this.#wishes.told;
  }

  #notify(question: Question): void {
    if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
    const many = this.#notices.size >= MOST;
    const id = many ? 'many' : question.id;
    const title = many ? t.noticeMany(live.questions.length) : t.notice(visible(question.toolName));
    try {
      const notice = new Notification(title, { tag: id, icon: '/favicon.svg', ...(many ? {} : { body: lineText(question).slice(0, 200) }) });
      notice.onclick = () => {
        focus();
        router.go(many ? '/' : questionHref(question.id));
        notice.close();
      };
      notice.onclose = () => this.#notices.delete(id);
      this.#notices.set(id, notice);
    } catch {
      // Some phone browsers only let workers notify. The list still shows the question.
    }
  }

  #close(id: string): void {
    this.#notices.get(id)?.close();
    this.#notices.delete(id);
  }
}

/** A question in a few words. */
export function summary(question: Question): string {
  return `${t.level[question.shown.danger.level]}: ${visible(question.toolName)}: ${lineText(question).slice(0, 120)}`;
}

export const questionAlerts = new QuestionAlerts();
