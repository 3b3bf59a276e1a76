//! Sentences are for people: with all of them replaced at random, each row gets the same verdict.

use std::hash::{BuildHasher as _, RandomState};

use sekisho_policy::{Part, Verdict};
use sekisho_shell::wording::with_random_wording;

use crate::corpus_row::shelf;
use crate::row_judge;

/// Every sentence of a verdict.
fn sentences(verdict: &Verdict) -> Vec<String> {
    fn of_parts(parts: &[Part], found: &mut Vec<String>) {
        for part in parts {
            found.push(part.sentence());
            found.extend(part.danger.iter().map(|danger| danger.sentence().into_owned()));
            of_parts(&part.parts, found);
        }
    }
    let mut found = vec![verdict.danger.sentence().into_owned()];
    found.extend(verdict.reasons.iter().map(|reason| verdict.explain(reason)));
    of_parts(&verdict.parts, &mut found);
    found
}

#[test]
fn random_wording_changes_no_verdict() {
    let random = RandomState::new();
    let mut said = 0;
    for row in ["bypass", "everyday", "rules"].into_iter().flat_map(shelf) {
        let plain = row_judge::judge(&row);
        let seed = random.hash_one(&row.place);
        let (other, others) = with_random_wording(seed, || {
            let verdict = row_judge::judge(&row);
            let sentences = sentences(&verdict);
            (verdict, sentences)
        });
        assert_eq!(other, plain, "{}, {seed}", row.place);
        let own = sentences(&plain);
        assert_eq!(own.len(), others.len());
        for (own, other) in own.iter().zip(&others) {
            assert_ne!(own, other, "{}: a sentence is not said by `say`", row.place);
            said += 1;
        }
        // What is stored by codes is the same, whatever the wording was.
        let kept = with_random_wording(seed, || serde_json::to_string(&other).unwrap());
        assert_eq!(serde_json::from_str::<Verdict>(&kept).unwrap(), plain, "{}", row.place);
    }
    assert!(said > 3000, "only {said} sentences");
}
