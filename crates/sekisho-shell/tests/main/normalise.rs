//! The normalised form of a text.

use sekisho_shell::normalise;

#[test]
fn blanks_are_folded_outside_quotes() {
    for (text, expected) in [
        ("  ls   -l\t\t-a  ", "ls -l -a"),
        ("echo 'a  b'   \"c  d\"  e\\  f", "echo 'a  b' \"c  d\" e\\  f"),
        ("ls  \n\n  pwd  ", "ls\npwd"),
        ("ls \\\n  -l", "ls -l"),
        ("l\\\ns", "ls"),
        ("ls  # it's   here  \npwd", "ls # it's   here\npwd"),
        ("cat  <<E  \n a  b\nE\n", "cat <<E  \n a  b\nE"),
        ("cat  <<<  x", "cat <<< x"),
        ("ls a\\  ", "ls a\\ "),
        ("a  \"$(b  \"c  d\"  ')  ')  e\"  f", "a \"$(b  \"c  d\"  ')  ')  e\" f"),
        ("a  $(b  'c  d')", "a $(b 'c  d')"),
        ("", ""),
    ] {
        assert_eq!(normalise(text), expected, "in {text:?}");
    }
}
