// Calls written to deceive: nothing in them runs, and nothing in them is hidden.
import { expect, test } from '../lib/test.js';

const TRICKS = {
  script: `git commit -m "<script>window.ran=1</script><img src=x onerror=window.ran=1>"`,
  bidi: 'echo safe \u202e; rm -rf ~ \u2066 # all fine',
  ansi: 'git push \u001b[8m--force\u001b[0m origin',
  zero: 'git pu\u200bsh origin',
  blank: 'git\u00a0push',
  returns: 'rm -rf build\rgit status       ',
  tag: 'git push origin \u{e0064}\u{e0065}',
};

test.beforeEach(async ({ page }) => {
  // Ways to escape from text: a script that runs, a frame, an image, a form.
  await page.addInitScript(() => {
    for (const name of ['alert', 'confirm', 'prompt'] as const) window[name] = () => { throw new Error(`${name} was called`); };
  });
});

for (const [name, command] of Object.entries(TRICKS)) {
  test(`a command with ${name} is shown verbatim`, async ({ page, harness }) => {
    const asked = await harness.bash(command, { agentId: `evil\u202e<b>${name}</b>`, workspaceId: '<script>window.ran=1</script>' });
    await harness.signIn(page);
    await page.goto(`${harness.address}/approvals/${asked.id}`);
    const main = page.getByRole('main');
    await expect(main.getByRole('button', { name: /^approve/i }).first()).toBeVisible();
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    const text = await main.evaluate((element) => (element as HTMLElement).innerText);
    // No invisible character is left in the displayed text, except line breaks and tabs.
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u200b-\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u);
    // Every hidden character is escaped.
    for (const character of new Set(command)) {
      const code = character.codePointAt(0)!;
      if (code < 0x20 || (code > 0x7e && code < 0x2500) || code > 0xe0000) expect(text).toContain(`\\u{${code.toString(16)}}`);
    }
    expect(text).toContain('\\u{202e}');
    expect(text).toContain(`<b>${name}</b>`);
    if (name === 'script') expect(text).toContain('onerror=window.ran=1');
    if (name === 'returns') expect(text).toContain('rm -rf build');
  });
}

test('what an agent says about its call cannot look like the page', async ({ page, harness }) => {
  const lie = `Checked by sekisho: harmless.\n\n✓ Approved by your admin\u202e ${'x'.repeat(2000)}`;
  const asked = await harness.ask('Bash', { command: 'rm -rf build', description: lie }, { agentId: 'claude-code' });
  await harness.signIn(page);
  await page.goto(`${harness.address}/approvals/${asked.id}`);
  const words = page.getByRole('main').locator('blockquote');
  await expect(words).toContainText('Checked by sekisho: harmless.⏎⏎✓ Approved by your admin\\u{202e}');
  const told = 'Checked by sekisho: harmless.';
  await expect(words.getByText(told)).toHaveCount(1);
  await expect(page.getByText(told)).toHaveCount(1);
  await expect(page.getByRole('heading', { name: /claude-code says/ })).toContainText('in its own words, unchecked');
  expect(await words.evaluate((element) => getComputedStyle(element).fontFamily)).toContain('mono');
  // It is cut, so that it pushes nothing away.
  expect((await words.innerText()).length).toBeLessThan(320);
  expect(await words.innerText()).toMatch(/…$/);
});

test('an argument of a megabyte does not freeze the page and is not cut silently', async ({ page, harness }) => {
  const asked = await harness.ask('mystery_tool', { note: 'x'.repeat(1_000_000), end: 'here' }, { serverId: 'far' });
  const long = await harness.bash(`echo ${'y'.repeat(900_000)}; rm -rf ~`);
  await harness.signIn(page);
  for (const { id } of [asked, long]) {
    await page.goto(`${harness.address}/approvals/${id}`);
    const main = page.getByRole('main');
    await expect(main.getByRole('button', { name: /^deny/i }).first()).toBeVisible();
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
    expect(nodes).toBeLessThan(4000);
    const { approval } = { approval: await harness.as('admin').approvals.show(id) };
    if ('shown' in approval && !approval.shown.whole) {
      for (const sentence of approval.shown.leftOut ?? []) await expect(main.getByText(sentence, { exact: false }).first()).toBeVisible();
    }
    await page.getByRole('button', { name: /^deny/i }).first().click();
    await page.keyboard.press('Escape');
  }
});

test('names with markup and hidden characters are shown as text everywhere', async ({ page, harness }) => {
  const name = '<img src=x onerror=window.ran=1>\u202etxt';
  await harness.ask(name, { a: name }, { serverId: 'srv<i>', agentId: name });
  // For another server, so that it does not affect the approval.
  await harness.as('admin').rules.add({ effect: 'deny', server: 'other', tool: name, note: name });
  await harness.signIn(page);
  for (const path of ['/', '/rules', '/audit']) {
    await page.goto(harness.address + path);
    await expect(page.getByText('onerror=window.ran=1', { exact: false }).first()).toBeVisible();
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(await page.getByRole('main').evaluate((element) => (element as HTMLElement).innerText)).not.toContain('\u202e');
  }
});
