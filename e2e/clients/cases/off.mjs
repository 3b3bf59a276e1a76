// A switch is real if the call runs in spite of us, and then the doctor has to know it.

/// A case: the hook would deny, `spoil` switches it off, and the doctor says `says`.
export function off(spoil, says) {
  return async (stage) => {
    await stage.set('touch denied');
    spoil(stage.place);
    stage.expectRan('denied', await stage.play());
    await stage.expectDoctor(says);
  };
}
