//! What runs have used, as the terminal shows it.

use sekisho_server::wire::usage::UsageView;

/// Replies, tokens and, if it is known, the cost.
pub(crate) fn usage_text(replies: u64, usage: &UsageView) -> String {
    let replies = if replies == 1 { "1 reply".to_owned() } else { format!("{replies} replies") };
    let mut text =
        format!("{replies}, {} input and {} output tokens", usage.input_tokens, usage.output_tokens);
    if usage.cache_read_tokens > 0 || usage.cache_write_tokens > 0 {
        let (read, written) = (usage.cache_read_tokens, usage.cache_write_tokens);
        text.push_str(&format!(", {read} read from the cache, {written} written to it"));
    }
    if let Some(cost) = &usage.cost_usd {
        text.push_str(&format!(", {cost} dollars"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_names_what_there_is() {
        let usage = |cache_read_tokens, cost_usd: Option<&str>| UsageView {
            input_tokens: 10,
            output_tokens: 2,
            cache_read_tokens,
            cache_write_tokens: 0,
            cost_usd: cost_usd.map(str::to_owned),
        };
        assert_eq!(usage_text(1, &usage(0, None)), "1 reply, 10 input and 2 output tokens");
        assert_eq!(
            usage_text(2, &usage(4, Some("0.5"))),
            "2 replies, 10 input and 2 output tokens, 4 read from the cache, 0 written to it, 0.5 dollars"
        );
    }
}
