// The system's own browser. Nothing is downloaded.
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'];

export const CHROMIUM = process.env['CHROMIUM'] ?? PLACES.find((place) => existsSync(place)) ?? 'chromium';

/** Flags that keep the browser quiet and offline, except for our own server. */
export const FLAGS = [
  // Root cannot use the browser's sandbox; the pages are our own.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
