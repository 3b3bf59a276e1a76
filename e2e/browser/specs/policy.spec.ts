// The page under the server's content security policy: it complies, over TLS too, and injected markup does
// not run.
import { type Page, type Harness, expect, test } from '../lib/test.js';

const MARKUP = '<script>window.ran=1</script><img src=x onerror=window.ran=1><svg onload=window.ran=1>';

/** Makes a call as an agent, trusting the certificate as the page does; returns the approval's id. */
async function ask(page: Page, harness: Harness, command: string): Promise<string> {
  const asked = await page.request.post(`${harness.server.address}/api/can-use-tool?wait=false`, {
    headers: { authorization: `Bearer ${harness.server.token('agent')}` },
    data: { toolName: 'Bash', input: { command }, toolUseId: 'call', agentId: MARKUP, timeoutMs: 600_000 },
  });
  expect(asked.status()).toBe(202);
  return ((await asked.json()) as { id: string }).id;
}

/** Collects what the policy blocks on every page from now on. */
async function violations(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const blocked: string[] = [];
    Object.assign(window, { blocked });
    document.addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
  });
  return () => page.evaluate(() => (window as unknown as { blocked: string[] }).blocked);
}

const ran = (page: Page): Promise<boolean> => page.evaluate(() => 'ran' in window);

/** Every directive of the policy, and what it allows. */
function sources(policy: string): Record<string, string[]> {
  const rules = policy.split(';').map((rule) => rule.trim().split(/\s+/));
  return Object.fromEntries(rules.filter(([name]) => name?.endsWith('-src')).map(([name, ...sources]) => [name, sources]));
}

const overTls = { serverOptions: { tls: true }, contextOptions: { ignoreHTTPSErrors: true } };

for (const [way, options] of Object.entries({ HTTP: {}, TLS: overTls })) {
  test.describe(`over ${way}`, () => {
    test.use(options);

    test('every view complies with the content security policy, and markup in a command is text', async ({ page, harness }) => {
      const blocked = await violations(page);
      await harness.signIn(page);
      const id = await ask(page, harness, `git commit -m '${MARKUP}'`);
      for (const path of ['/', `/approvals/${id}`, '/rules', '/audit', '/settings']) {
        const response = await page.goto(harness.address + path);
        const { 'default-src': rest, 'img-src': images, ...others } = sources(response?.headers()['content-security-policy'] ?? '');
        expect(rest).toEqual(["'none'"]);
        expect(images).toEqual(["'self'", 'data:']);
        expect(Object.keys(others)).toContain('script-src');
        for (const [name, sources] of Object.entries(others)) expect(sources, name).toEqual(["'self'"]);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        if (path === '/' || path.includes(id)) await expect(page.getByRole('main').getByText('onerror=window.ran=1').first()).toBeVisible();
        expect(await ran(page), path).toBe(false);
        // None of it became an element that the policy had to stop.
        expect(await blocked(), path).toEqual([]);
      }
    });
  });
}

test.describe('with injected markup', () => {
  test.use(overTls);

  test('an injected script does not run', async ({ page, harness, watch }) => {
    watch.expects(/Content Security Policy|404/);
    const blocked = await violations(page);
    await harness.signIn(page);
    // The server's response with its own headers, and markup injected into it.
    await page.route(`${harness.address}/rules`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('<body>', `<body>${MARKUP}`);
      const { 'content-encoding': _coding, 'content-length': _length, ...headers } = response.headers();
      expect(body).toContain(MARKUP);
      await route.fulfill({ response, headers, body });
    });
    await page.goto(`${harness.address}/rules`);
    await expect(page.getByRole('navigation')).toBeVisible();
    await expect.poll(blocked).toEqual(expect.arrayContaining(['script-src-elem', 'script-src-attr']));
    expect(await ran(page)).toBe(false);
  });
});
