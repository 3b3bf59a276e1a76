// Plays one case; started by run.mjs inside a network namespace. The last line is the result.
//   node one.mjs BINARIES AGENT CASE
import { agents, casesOf } from './cases/all.mjs';
import { clear, makePlace } from './lib/place.mjs';
import { Harness } from './lib/harness.mjs';

const [binaries, name, title] = process.argv.slice(2);
const place = makePlace(binaries);
const harness = new Harness(agents[name], place);
const outcome = { ok: true };
try {
  await casesOf(name)[title](harness);
  outcome.toolResult = harness.toolResult;
} catch (error) {
  Object.assign(outcome, { ok: false, seen: error.message });
}
const keep = !outcome.ok && process.env.KEEP === '1';
if (keep) outcome.seen += ` (kept in ${place.root})`;
clear(place, keep);
process.stdout.write(`\n${JSON.stringify(outcome)}\n`, () => process.exit(0));
