/** An error from the server, or the reason why it could not be reached. */
export class SekishoError extends Error {
  override readonly name = 'SekishoError';
  /** Stable code for programs: `NotFound`, `Conflict`, …; `Unreachable` and `TimedOut` without a response. */
  readonly code: string;
  /** What to do, if the server knows. */
  readonly hint: string | undefined;
  /** The field of the request that is wrong, if it is a field. */
  readonly field: string | undefined;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** Seconds to wait before a retry, if the server says so. */
  readonly retryAfter: number | undefined;

  constructor(
    told: { code: string; message: string; hint?: string | undefined; field?: string | undefined; status: number; retryAfter?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(told.message, options);
    this.code = told.code;
    this.hint = told.hint;
    this.field = told.field;
    this.status = told.status;
    this.retryAfter = told.retryAfter;
  }

  /** Whether the error is transient: the same request may succeed later. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** The error in an error response. */
export async function errorOf(response: Response): Promise<SekishoError> {
  const text = await response.text().catch(() => '');
  const said = response.headers.get('retry-after');
  const seconds = said === null || said.trim() === '' ? NaN : Number(said);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  const { status } = response;
  const error = detail(text);
  if (error !== undefined) return new SekishoError({ ...error, status, retryAfter });
  // Not from sekisho: most likely from a proxy in between.
  const message = text.trim().slice(0, 200) || response.statusText || `the server said ${status}`;
  return new SekishoError({ code: `Http${status}`, message, status, retryAfter });
}

function detail(text: string): { code: string; message: string; hint?: string | undefined; field?: string | undefined } | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const error = field(body, 'error');
  const [code, message, hint, at] = [field(error, 'code'), field(error, 'message'), field(error, 'hint'), field(error, 'field')];
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, hint: typeof hint === 'string' ? hint : undefined, field: typeof at === 'string' ? at : undefined };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
