//! The functions of `make` that only change text.

/// Whether a function only changes text.
pub(super) fn is_text_function(name: &str) -> bool {
    [
        "subst",
        "patsubst",
        "strip",
        "firstword",
        "lastword",
        "word",
        "words",
        "join",
        "addprefix",
        "addsuffix",
        "notdir",
        "dir",
        "basename",
        "suffix",
    ]
    .contains(&name)
}

/// What a function that only changes text becomes. `None` if it is not followed.
pub(super) fn text_function(name: &str, values: &[String]) -> Option<String> {
    let at = |at: usize| values.get(at).map(String::as_str).unwrap_or_default();
    let all = values.join(",");
    Some(match name {
        "subst" => at(2).replace(at(0), at(1)),
        "patsubst" => each_word(at(2), |word| substituted(word, at(0).trim(), at(1).trim())),
        "strip" => each_word(&all, str::to_owned),
        "firstword" => all.split_whitespace().next().unwrap_or_default().to_owned(),
        "lastword" => all.split_whitespace().next_back().unwrap_or_default().to_owned(),
        "words" => all.split_whitespace().count().to_string(),
        "word" => {
            let number: usize = at(0).trim().parse().ok()?;
            at(1).split_whitespace().nth(number.checked_sub(1)?).unwrap_or_default().to_owned()
        }
        "join" => {
            let (mut first, mut second) = (at(0).split_whitespace(), at(1).split_whitespace());
            let mut joined = Vec::new();
            loop {
                match (first.next(), second.next()) {
                    (None, None) => break joined.join(" "),
                    (one, other) => joined.push(format!("{}{}", one.unwrap_or(""), other.unwrap_or(""))),
                }
            }
        }
        "addprefix" => each_word(at(1), |word| format!("{}{word}", at(0))),
        "addsuffix" => each_word(at(1), |word| format!("{word}{}", at(0))),
        "notdir" => each_word(&all, |word| word.rsplit('/').next().unwrap_or_default().to_owned()),
        "dir" => each_word(&all, |word| {
            word.rsplit_once('/').map_or("./".to_owned(), |(directory, _)| format!("{directory}/"))
        }),
        "basename" => each_word(&all, |word| word.rsplit_once('.').map_or(word, |(base, _)| base).to_owned()),
        "suffix" => each_word(&all, |word| {
            word.rsplit_once('.').map_or_else(String::new, |(_, suffix)| format!(".{suffix}"))
        }),
        _ => return None,
    })
}

pub(super) fn each_word(text: &str, change: impl Fn(&str) -> String) -> String {
    text.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
}

/// A word after `patsubst`: `%` stands for any text.
pub(super) fn substituted(word: &str, from: &str, to: &str) -> String {
    let Some((start, end)) = from.split_once('%') else {
        return if word == from { to.to_owned() } else { word.to_owned() };
    };
    let stem = word.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    stem.map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
}
