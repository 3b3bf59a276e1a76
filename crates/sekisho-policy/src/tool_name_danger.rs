//! The danger that the name of an otherwise unknown tool tells: `delete_customer`, `createRefund`, `send-email`.
//!
//! A name proves nothing. But a person who answers must not take `refund_payment` for as harmless as `list_orders`.

use crate::danger::{Danger, DangerCode, DangerLevel};

/// Words that say deleting wherever they are in a name.
const DELETING: &[&str] = &[
    "clear",
    "del",
    "delete",
    "deprovision",
    "destroy",
    "drop",
    "erase",
    "kill",
    "purge",
    "remove",
    "rm",
    "terminate",
    "truncate",
    "uninstall",
    "unlink",
    "wipe",
];
/// Words about money.
const PAYING: &[&str] = &[
    "buy",
    "charge",
    "disburse",
    "pay",
    "payment",
    "payments",
    "payout",
    "payouts",
    "purchase",
    "refund",
    "refunds",
    "remit",
    "transfer",
    "transfers",
    "wire",
    "withdraw",
];
/// Words that say sending or publishing.
const SENDING: &[&str] = &["broadcast", "publish", "send", "tweet"];
/// Words that say it only at the beginning of a name: `post_message`, but not `create_post`.
const SENDING_FIRST: &[&str] = &["email", "mail", "message", "notify", "post", "reply", "text"];
/// Words of tools that look something up: `list_refunds`, `payments.get`.
const LOOKING: &[&str] = &[
    "calculate",
    "check",
    "count",
    "describe",
    "download",
    "estimate",
    "fetch",
    "find",
    "get",
    "is",
    "list",
    "lookup",
    "preview",
    "query",
    "read",
    "retrieve",
    "search",
    "show",
    "status",
    "validate",
    "verify",
    "view",
];
/// Words that join two actions: `check_and_pay`.
const JOINING: &[&str] = &["and", "or", "then"];
/// Longer names are not read further.
const MAX_WORDS: usize = 24;

/// The danger that a tool's name tells.
pub(crate) fn danger_of_name(name: &str) -> Option<Danger> {
    let words = words_of(name);
    let any = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let first = |known: &[&str]| words.first().is_some_and(|word| known.contains(&word.as_str()));
    if any(DELETING) {
        return Some(Danger::new(DangerLevel::Danger, DangerCode::NamedForDeleting));
    }
    if any(LOOKING) && !any(JOINING) {
        return None;
    }
    if any(PAYING) {
        return Some(Danger::new(DangerLevel::Danger, DangerCode::NamedForPaying));
    }
    (any(SENDING) || first(SENDING_FIRST))
        .then(|| Danger::new(DangerLevel::Danger, DangerCode::NamedForSending))
}

/// The words of a name in snake case, kebab case or camel case, in small letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphabetic() {
            (inside, small) = (false, false);
            continue;
        }
        let begins = !inside || (letter.is_ascii_uppercase() && small);
        if begins && words.len() == MAX_WORDS {
            break;
        }
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter.to_ascii_lowercase());
        }
        (inside, small) = (true, letter.is_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(name: &str) -> Option<DangerCode> {
        danger_of_name(name).map(|danger| danger.codes()[0])
    }

    #[test]
    fn names_of_tools_tell_what_they_do() {
        for (name, code) in [
            ("delete_customer", DangerCode::NamedForDeleting),
            ("customers.delete", DangerCode::NamedForDeleting),
            ("bulkDeleteRows", DangerCode::NamedForDeleting),
            ("dropTable", DangerCode::NamedForDeleting),
            ("get_and_purge", DangerCode::NamedForDeleting),
            ("create_refund", DangerCode::NamedForPaying),
            ("refundPayment", DangerCode::NamedForPaying),
            ("pay-invoice", DangerCode::NamedForPaying),
            ("bank_transfer", DangerCode::NamedForPaying),
            ("check_and_pay", DangerCode::NamedForPaying),
            ("sendEmail", DangerCode::NamedForSending),
            ("gmail.messages.send", DangerCode::NamedForSending),
            ("post_message", DangerCode::NamedForSending),
            ("publish_package", DangerCode::NamedForSending),
        ] {
            assert_eq!(code_of(name), Some(code), "{name}");
        }
    }

    #[test]
    fn other_names_tell_nothing() {
        for name in [
            "list_refunds",
            "payments.get",
            "search_sent_emails",
            "get_payment_status",
            "list_deleted_items",
            "get_dropdown_options",
            "create_post",
            "update_customer",
            "payload_builder",
            "sender_info",
            "",
            "削除",
        ] {
            assert_eq!(code_of(name), None, "{name}");
        }
    }
}
