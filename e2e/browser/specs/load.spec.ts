// Measurements, printed, and run alone (`@figures`). The number of requests is bounded; times are only
// reported, because machines differ.
import { expect, test } from '../lib/test.js';

const KIB = 1024;

// Recording the browser would distort the measurement.
test.use({ trace: 'off' });

test('the first load is small @figures', async ({ page, harness, context }) => {
  test.skip(process.env['SEKISHO_FRONT'] !== undefined, 'the server compresses, but the proxy in front of it does not');
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  const fetched = new Map<string, { url: string; bytes: number }>();
  network.on('Network.responseReceived', ({ requestId, response }) => fetched.set(requestId, { url: response.url, bytes: 0 }));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = fetched.get(requestId);
    if (one !== undefined) one.bytes = encodedDataLength;
  });
  await harness.signIn(page);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const files = [...fetched.values()].filter(({ url }) => !url.startsWith('data:') && !new URL(url).pathname.startsWith('/api/'));
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { url, bytes } of files) console.log(`  ${new URL(url).pathname.padEnd(44)} ${String(bytes).padStart(7)} bytes`);
  console.log(`  first load: ${(total / KIB).toFixed(1)} KiB, compressed, headers included`);
  expect(files.length).toBeGreaterThan(2);
  expect(total).toBeLessThanOrEqual(120 * 1000);
});

test('a new question is painted quickly @figures', async ({ page, harness }) => {
  await harness.signIn(page);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const took: number[] = [];
  for (let round = 0; round < 31; round += 1) {
    const marker = `round-${round}-end`;
    // Seen means painted: the frame after the one in which it entered the document.
    const seen = page.evaluate(
      (marker) =>
        new Promise<number>((resolve) => {
          const look = (): void => {
            // Not `innerText`: it would lay out the page each time and distort the measurement.
            if (!document.body.textContent!.includes(marker)) return;
            observer.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now())));
          };
          const observer = new MutationObserver(look);
          observer.observe(document.body, { childList: true, subtree: true, characterData: true });
        }),
      marker,
    );
    const asked = Date.now();
    await harness.bash(`git push origin ${marker}`);
    took.push((await seen) - asked);
  }
  // With the first one the server compiles its rules and the page lays out its first approval.
  const [first, ...others] = took;
  others.sort((a, b) => a - b);
  console.log(`  asked to painted: p50 ${others[15]} ms, worst ${others.at(-1)} ms of ${others.length} (goal 100 ms); the very first ${first} ms`);
});

test('the list scrolls smoothly with five hundred questions @figures', async ({ page, harness }) => {
  for (let done = 0; done < 500; done += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => harness.question(`git push origin branch-${done + index}`)));
  }
  const begun = Date.now();
  await harness.signIn(page);
  await expect(page).toHaveTitle('(500) Inbox · sekisho');
  await page.getByText('branch-0').first().waitFor();
  console.log(`  500 pending: signed in and shown after ${Date.now() - begun} ms`);
  await page.waitForTimeout(500);
  const frames = await page.evaluate(async () => {
    const row = [...document.querySelectorAll('li')].find((item) => item.textContent?.includes('branch-0'))!;
    let list: Element = row;
    while (list.parentElement !== null && !(list.scrollHeight > list.clientHeight + 50 && /auto|scroll/.test(getComputedStyle(list).overflowY))) {
      list = list.parentElement;
    }
    const took: number[] = [];
    let last = await new Promise<number>(requestAnimationFrame);
    while (list.scrollTop + list.clientHeight < list.scrollHeight - 1 && took.length < 240) {
      list.scrollTop += 240;
      const now = await new Promise<number>(requestAnimationFrame);
      took.push(now - last);
      last = now;
    }
    return { took, moved: list.scrollTop };
  });
  const worst = Math.max(...frames.took);
  const long = frames.took.filter((ms) => ms > 50).length;
  console.log(`  scrolling ${frames.moved} px in ${frames.took.length} frames: worst ${worst.toFixed(1)} ms, ${long} over 50 ms (goal 0)`);
  expect(frames.moved).toBeGreaterThan(5000);
});
