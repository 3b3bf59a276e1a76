//! The danger that the name of an otherwise unknown tool tells: `delete_customer`, `createRefund`, `send-email`.
//!
//! A name proves nothing. But a person who answers must not take `refund_payment` for as harmless as `list_orders`.

use std::sync::LazyLock;

use sekisho_policy::DangerCode;

/// Longer names are not read further.
const MAX_WORDS: usize = 24;

/// What a word says about the tool that has it in its name. One bit each, so that a name's words are a set.
mod sense {
    /// It deletes, wherever the word is.
    pub(super) const DELETING: u8 = 1;
    /// It is about money.
    pub(super) const PAYING: u8 = 2;
    /// It sends or publishes.
    pub(super) const SENDING: u8 = 4;
    /// It sends if the word comes first: `post_message`, but not `create_post`.
    pub(super) const SENDING_FIRST: u8 = 8;
    /// It looks something up: `list_refunds`, `payments.get`.
    pub(super) const LOOKING: u8 = 16;
    /// It joins two actions: `check_and_pay`.
    pub(super) const JOINING: u8 = 32;
}

/// The words that say something, by what they say.
const WORDS: [(u8, &str); 6] = [
    (
        sense::DELETING,
        "clear del delete deprovision destroy drop erase kill purge remove rm terminate truncate uninstall unlink wipe",
    ),
    (
        sense::PAYING,
        "buy charge disburse pay payment payments payout payouts purchase refund refunds remit transfer transfers \
         wire withdraw",
    ),
    (sense::SENDING, "broadcast publish send tweet"),
    (sense::SENDING_FIRST, "email mail message notify post reply text"),
    (
        sense::LOOKING,
        "calculate check count describe download estimate fetch find get is list lookup preview query read retrieve \
         search show status validate verify view",
    ),
    (sense::JOINING, "and or then"),
];

/// The bits that a letter takes in a number. They are the same for a capital letter.
const LETTER_BITS: u32 = 5;

/// The words of [`WORDS`] as numbers, in order, and what each says.
static SENSES: LazyLock<Vec<(u64, u8)>> = LazyLock::new(|| {
    let number = |word: &str| word.bytes().fold(0, with_letter);
    let of_list = |(sense, words): &(u8, &'static str)| {
        let sense = *sense;
        words.split(' ').map(move |word| (number(word), sense))
    };
    let mut senses: Vec<(u64, u8)> = WORDS.iter().flat_map(of_list).collect();
    senses.sort_unstable();
    senses
});

/// The number of a word with one more letter: without an allocation, whatever its case. It has room for twelve letters, and no word of [`WORDS`] has more than eleven, so a longer word is never
/// mistaken for one of them: its last twelve letters have too large a number.
fn with_letter(word: u64, letter: u8) -> u64 {
    word << LETTER_BITS | u64::from(letter & 0x1f)
}

/// What a word says.
fn sense_of(word: u64) -> u8 {
    let found = SENSES.binary_search_by_key(&word, |(known, _)| *known).ok();
    found.and_then(|at| SENSES.get(at)).map_or(0, |(_, sense)| *sense)
}

/// The danger that a tool's name tells.
pub(super) fn danger_of_name(name: &str) -> Option<DangerCode> {
    let said = senses_of(name);
    let says = |sense| said & sense != 0;
    if says(sense::DELETING) {
        Some(DangerCode::NamedForDeleting)
    } else if says(sense::LOOKING) && !says(sense::JOINING) {
        None
    } else if says(sense::PAYING) {
        Some(DangerCode::NamedForPaying)
    } else if says(sense::SENDING | sense::SENDING_FIRST) {
        Some(DangerCode::NamedForSending)
    } else {
        None
    }
}

/// What the words of a name in snake case, kebab case or camel case say together.
fn senses_of(name: &str) -> u8 {
    let (mut said, mut words) = (0, 0);
    // No letter has the number 0, so neither has a word.
    let mut word = 0;
    let mut small = false;
    for byte in name.bytes().chain([b'_']) {
        let is_letter = byte.is_ascii_alphabetic();
        let is_small = byte & 0x20 != 0;
        if word != 0 && (!is_letter || (small && !is_small)) {
            said |= if words == 0 { sense_of(word) } else { sense_of(word) & !sense::SENDING_FIRST };
            (word, words) = (0, words + 1);
            if words == MAX_WORDS {
                break;
            }
        }
        if is_letter {
            word = with_letter(word, byte);
        }
        small = is_small;
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(danger_of_name(name), Some(code), "{name}");
        }
    }

    #[test]
    fn no_known_word_is_too_long() {
        for (_, words) in WORDS {
            assert!(words.split(' ').all(|word| (2..=11).contains(&word.len())), "{words}");
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
            "zzzzzzzzzzdelete",
            "aaaaaaaaaaaaaaaaaaaaaadelete",
            "deprovisions",
            "sender_info",
            "",
            "削除",
        ] {
            assert_eq!(danger_of_name(name), None, "{name}");
        }
    }
}
