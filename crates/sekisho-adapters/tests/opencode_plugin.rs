//! The plugin for opencode.

use sekisho_adapters::opencode_plugin;

#[test]
fn paths_cannot_escape_the_plugin_text() {
    let plugin = opencode_plugin("/opt/a\"; import('x') //", "/home/ü/state\\hooks\n.json");
    let mut lines = plugin.lines();
    assert_eq!(lines.next(), Some(r#"const HOOK = "/opt/a\"; import('x') //""#));
    assert_eq!(lines.next(), Some(r#"const INSTALLATION = "/home/ü/state\\hooks\n.json""#));
    assert!(lines.next().unwrap().starts_with("// Written by"));
    // opencode treats every export as a plugin and starts it.
    assert_eq!(plugin.lines().filter(|line| line.starts_with("export ")).count(), 1);
    assert!(plugin.contains("spawn(HOOK, [\"opencode\", \"--installation\", INSTALLATION], { shell: false"));
}
