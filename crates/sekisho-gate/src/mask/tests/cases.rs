//! Every detector has cases both ways.

use super::places::PLACES;
use super::shapes::SHAPES;
use super::{found, left};
use crate::mask::detectors;

/// A detector, what it must find with what must stand afterwards, and what it must leave.
pub(super) struct Case {
    pub(super) detector: &'static str,
    pub(super) found: &'static [(&'static str, &'static str)],
    pub(super) left: &'static [&'static str],
}

#[test]
fn every_detector_has_cases_both_ways() {
    for detector in detectors() {
        let case = all().find(|case| case.detector == detector.name).expect(detector.name);
        assert!(case.found.len() >= 2, "{}", detector.name);
        assert!(case.left.len() >= 2, "{}", detector.name);
        assert!(!detector.doc.is_empty());
    }
    assert!(detectors().count() >= 30);
    assert_eq!(detectors().count(), all().count());
}

#[test]
fn what_is_secret_is_masked() {
    let wrong: Vec<String> = all()
        .flat_map(|case| {
            case.found.iter().filter_map(|(text, expected)| found(case.detector, text, expected))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_secret_is_left() {
    for case in all() {
        for text in case.left {
            left(text);
        }
    }
}

pub(super) fn all() -> impl Iterator<Item = &'static Case> {
    SHAPES.iter().chain(PLACES)
}
