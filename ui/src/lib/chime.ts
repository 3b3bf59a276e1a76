// A short sound, made here: two soft tones, a fifth apart.

let audio: AudioContext | undefined;

/** Plays it. Browsers keep silent until somebody has touched the page; then this gives false. */
export async function chime(): Promise<boolean> {
  try {
    audio ??= new AudioContext();
    // A context that may not speak yet waits for ever; nobody else should.
    await Promise.race([audio.resume(), new Promise((done) => setTimeout(done, 300))]);
    if (audio.state !== 'running') return false;
    tone(audio, 587.33, 0);
    tone(audio, 880, 0.14);
    return true;
  } catch {
    return false;
  }
}

function tone(audio: AudioContext, pitch: number, after: number): void {
  const from = audio.currentTime + after;
  const voice = new OscillatorNode(audio, { type: 'sine', frequency: pitch });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, from);
  volume.gain.linearRampToValueAtTime(0.18, from + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, from + 0.5);
  voice.connect(volume).connect(audio.destination);
  voice.start(from);
  voice.stop(from + 0.55);
}
