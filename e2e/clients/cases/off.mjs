// Hooks are switched off if the call runs in spite of us; then the doctor has to report it.

/// A case: the hook would deny, `spoil` switches it off, and the doctor reports `says`.
export function off(spoil, says) {
  return async (stage) => {
    await stage.set('touch denied');
    spoil(stage.place);
    stage.expectRan('denied', await stage.play());
    await stage.expectDoctor(says);
  };
}
