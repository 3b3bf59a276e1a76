//! Commands that editors run: lines such as `!rm x`.

/// How many commands of an input are looked at.
const MAX_TEXTS: usize = 64;

/// The commands in lines such as `!rm x` and `r !rm x`.
pub(super) fn bang_lines(texts: impl Iterator<Item = String>) -> Vec<String> {
    let texts: Vec<String> = texts.collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .filter_map(|line| line.split_once('!'))
        .map(|(_, run)| run.trim().to_owned())
        .take(MAX_TEXTS)
        .collect()
}
