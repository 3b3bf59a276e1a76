//! Who answered a question, for display.

use sekisho_server::wire::approval::ApprovalOutcome;

use super::messages::AnsweredBy;

/// Who answered: a device by its name, not by its id.
pub(super) fn answered_by(outcome: &ApprovalOutcome) -> AnsweredBy {
    if outcome.how.is_none() {
        return AnsweredBy::Rule(outcome.by.clone());
    }
    let bare = outcome.by.strip_suffix(')').and_then(|by| by.rsplit_once(" ("));
    let name = bare.filter(|(_, id)| uuid::Uuid::try_parse(id).is_ok()).map(|(name, _)| name);
    AnsweredBy::Person(name.unwrap_or(&outcome.by).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_shown_by_name() {
        let by = |by: &str, how: Option<&str>| {
            answered_by(&ApprovalOutcome {
                at: jiff::Timestamp::UNIX_EPOCH,
                by: by.into(),
                how: how.map(str::to_owned),
                message: None,
                code: None,
                detail: None,
                updated_input: None,
                interrupt: false,
                taken: false,
            })
        };
        let id = uuid::Uuid::from_u128(7);
        assert_eq!(by(&format!("mai (phone) ({id})"), Some("web")), AnsweredBy::Person("mai (phone)".into()));
        assert_eq!(by("terminal of mai", Some("terminal")), AnsweredBy::Person("terminal of mai".into()));
        assert_eq!(by("session:1", None), AnsweredBy::Rule("session:1".into()));
    }
}
