// Hooks are switched off if the call runs in spite of us; then the doctor has to report it.

/// A case: the hook would deny, `spoil` switches it off, and the doctor reports `says`.
export function off(spoil, says) {
  return async (harness) => {
    await harness.set('touch denied');
    spoil(harness.place);
    harness.expectRan('denied', await harness.play());
    await harness.expectDoctor(says);
  };
}
