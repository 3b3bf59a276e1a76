// A short synthesized sound: two notes, lower for danger.

let sounds: AudioContext | undefined;

/** Plays it. Returns false if the browser blocks sound because nothing was pressed yet. */
export async function chime(danger = false): Promise<boolean> {
  try {
    sounds ??= new AudioContext();
    // `resume` does not resolve while the browser blocks sound, so do not wait for it.
    await Promise.race([sounds.resume(), new Promise((done) => setTimeout(done, 300))]);
    if (sounds.state !== 'running') return false;
    for (const [at, pitch] of (danger ? [392, 294] : [659, 880]).entries()) tone(sounds, pitch, at * 0.13);
    return true;
  } catch {
    return false;
  }
}

function tone(sounds: AudioContext, pitch: number, after: number): void {
  const start = sounds.currentTime + after;
  const voice = new OscillatorNode(sounds, { frequency: pitch });
  const volume = new GainNode(sounds, { gain: 0 });
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(0.12, start + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.12);
  voice.connect(volume).connect(sounds.destination);
  voice.start(start);
  voice.stop(start + 0.13);
}
