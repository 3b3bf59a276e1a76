import { expect, test } from '../lib/test.js';

test('open and missed questions are shown after the server restarts', async ({ page, harness, watch }) => {
  watch.expects(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_NETWORK|502/);
  await harness.signIn(page);
  await harness.bash('git push origin before', { onTimeout: 'park' });
  await expect(page.getByText('git push origin before').first()).toBeVisible();
  await harness.server.down('SIGKILL');
  await expect(page.getByText('Connection lost', { exact: false })).toBeVisible();
  await harness.server.up();
  await expect(page.getByText('Connection lost', { exact: false })).toBeHidden();
  await expect(page.getByText('git push origin before').first()).toBeVisible();
  await harness.bash('git push origin after');
  await expect(page).toHaveTitle('(2) Inbox · sekisho');
  await expect(page.getByText('git push origin after').first()).toBeVisible();
});

test('a revoked browser is signed out at once', async ({ page, harness, watch }) => {
  // The server hangs up.
  watch.expects(/401|ERR_/);
  await harness.signIn(page, 'lost-phone', 'approver');
  const admin = harness.as('admin');
  const { tokens } = await admin.tokens.list();
  const phone = tokens.find((token) => token.name.startsWith('lost-phone'))!;
  await admin.tokens.revoke(phone.id);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This browser is no longer signed in');
});
