//! Every detector has positive and negative cases.

use super::cloud_and_database_clients::CLIENTS;
use super::code_and_settings::CODE;
use super::context_cases::PLACES;
use super::defaults_and_tables::READINGS;
use super::keys_and_logins::KEYS;
use super::neighbouring_text::UNLISTED;
use super::non_secrets::ORDINARY;
use super::program_arguments::FLAGS;
use super::prose::{PLACEHOLDERS, SENTENCES};
use super::quoted_and_markup_values::STRUCTURE;
use super::secret_names::NAMES;
use super::stdin_secrets::PIPED;
use super::token_cases::SHAPES;
use super::value_ends::{ANNOUNCED, ENDS};
use super::value_positions::LAYOUT;
use super::vendor_cases::SERVICES;
use super::{found, left};
use crate::mask::detectors;

/// A detector, texts it must mask with the expected results, and texts it must not change.
pub(super) struct Case {
    pub(super) detector: &'static str,
    pub(super) found: &'static [(&'static str, &'static str)],
    pub(super) left: &'static [&'static str],
}

#[test]
fn every_detector_has_positive_and_negative_cases() {
    for detector in detectors() {
        let cases = || all().filter(|case| case.detector == detector.name);
        assert!(cases().map(|case| case.found.len()).sum::<usize>() >= 2, "{}", detector.name);
        assert!(cases().map(|case| case.left.len()).sum::<usize>() >= 2, "{}", detector.name);
        assert!(!detector.doc.is_empty());
    }
    assert!(detectors().count() >= 30);
    for case in all() {
        assert!(detectors().any(|detector| detector.name == case.detector), "{}", case.detector);
    }
}

#[test]
fn secrets_are_masked() {
    let wrong: Vec<String> = all()
        .flat_map(|case| {
            case.found.iter().filter_map(|(text, expected)| found(case.detector, text, expected))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_values_are_kept() {
    for case in all() {
        for text in case.left {
            left(text);
        }
    }
}

#[test]
fn text_about_secrets_is_kept() {
    for text in ORDINARY.iter().chain(PLACEHOLDERS) {
        left(text);
    }
}

pub(super) fn all() -> impl Iterator<Item = &'static Case> {
    [
        SHAPES, PLACES, FLAGS, PIPED, NAMES, STRUCTURE, CLIENTS, SERVICES, LAYOUT, READINGS, SENTENCES,
        UNLISTED, CODE, ENDS, ANNOUNCED, KEYS,
    ]
    .into_iter()
    .flatten()
}
